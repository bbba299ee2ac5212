import type { Page } from 'playwright-core';
import { PANELS } from '../../../src/pages/dashboard.ts';
import { CALLERS } from '../../service.ts';
import { type Browser, openBrowser } from '../browser.ts';

/** Where the pages store an API key. */
export const KEY = 'inspection-exchange:key';

/** Loads the dashboard with an API key, in a window high enough to show every panel. */
export async function loadDashboard(page: Page, address: string, key: string = CALLERS.client): Promise<void> {
  await page.setViewportSize({ width: 1400, height: 6000 });
  await page.addInitScript(([name, value]) => sessionStorage.setItem(name ?? '', value ?? ''), [KEY, key]);
  await page.goto(address);
}

/** Waits until every panel has its answer. */
export async function panelsAnswered(page: Page): Promise<void> {
  for (const panel of PANELS) await page.locator(`#${panel}[aria-busy=false] h2`).waitFor();
}

/** The dashboard of the service at `url` in its own browser, once every panel has its answer. */
export async function openDashboard(url: string, query: string): Promise<Browser> {
  const browser = await openBrowser(url);
  await loadDashboard(browser.page, `${url}/dashboard?${query}`);
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
