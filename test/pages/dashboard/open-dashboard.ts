import type { Page } from 'playwright-core';
import { seedDemo } from '../../../src/demo/seed.ts';
import { PANELS } from '../../../src/pages/dashboard.ts';
import { CALLERS, type TestService } from '../../service.ts';
import { allCounted } from '../../statistics/all-counted.ts';
import { type Browser, openBrowser } from '../browser.ts';

/** Where the pages store an API key. */
export const KEY = 'inspection-exchange:key';

/** Waits until statistics and figure audits have all earlier writes, however long that takes; a panel waits some seconds. */
async function allKept(service: TestService): Promise<void> {
  await allCounted(service);
  await service.stores.audits.freshness.passed();
}

/** Stores the demo data, and waits until every panel can show it. */
export async function seedPanels(service: TestService): Promise<void> {
  await seedDemo(service.stores, () => undefined);
  await allKept(service);
}

/** Loads the dashboard with an API key, in a window high enough to show every panel, once these have all earlier writes. */
export async function loadDashboard(
  page: Page,
  service: TestService,
  query: string,
  key: string = CALLERS.client,
): Promise<void> {
  await allKept(service);
  await page.setViewportSize({ width: 1400, height: 6000 });
  await page.addInitScript(([name, value]) => sessionStorage.setItem(name ?? '', value ?? ''), [KEY, key]);
  await page.goto(`${service.url}/dashboard?${query}`);
}

/** Waits until every panel has its answer. */
export async function panelsAnswered(page: Page): Promise<void> {
  for (const panel of PANELS) await page.locator(`#${panel}[aria-busy=false] h2`).waitFor();
}

/** The dashboard of a service in its own browser, once every panel has its answer. */
export async function openDashboard(service: TestService, query: string): Promise<Browser> {
  const browser = await openBrowser(service.url);
  await loadDashboard(browser.page, service, query);
  await panelsAnswered(browser.page);
  return browser;
}

/** A text without the characters that isolate others' texts. */
export const plain = (text: string | null): string => (text ?? '').replace(/[\u2068\u2069]/g, '');

export const titleOf = async (page: Page, panel: string): Promise<string> =>
  plain(await page.locator(`#${panel} h2`).innerText());

/** The texts of one column of a table. */
export const cells = (page: Page, table: string, column: number): Promise<string[]> =>
  page.locator(`#table-${table} tbody td:nth-child(${column})`).allTextContents();
