import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { CALLERS, makeWorkspace, serviceFixture } from '../service.ts';
import { type Browser, openBrowser } from './browser.ts';

/** However busy the machine is. */
const SOON = { timeout: 60_000 };
const KEY = 'inspection-exchange:key';

const service = serviceFixture({ records: true, counts: true, audits: true });

async function openDashboard(query = '', key: string = CALLERS.client): Promise<Browser> {
  const browser = await openBrowser(service.url);
  await browser.page.setViewportSize({ width: 1400, height: 6000 });
  await browser.page.addInitScript(([name, value]) => sessionStorage.setItem(name ?? '', value ?? ''), [KEY, key]);
  await browser.page.goto(`${service.url}/dashboard${query}`);
  return browser;
}

async function addJob(workspace: string, vessel: string): Promise<void> {
  const body = { refNumber: 'NW-1', status: 'active', transports: [{ name: vessel }] };
  const { status } = await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body });
  expect(status).toBe(201);
}

describe('the width of a page', () => {
  const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

  test.each(['/dashboard', '/docs', '/graphql', '/'])('is that of a small screen: %s', async (path) => {
    await makeWorkspace(service);
    await using browser = await openBrowser(service.url);
    await browser.page.setViewportSize({ width: 320, height: 640 });
    await browser.page.goto(`${service.url}${path}`, { waitUntil: 'domcontentloaded' });
    if (path !== '/') await browser.page.locator('#key').waitFor();
    expect(await widthOf(browser.page)).toBe(320);
  });

  test('is not that of the longest name', async () => {
    const { id } = await makeWorkspace(service);
    await addJob(id, 'W'.repeat(200));
    await using browser = await openDashboard(`?workspace=${id}`);
    const { page } = browser;
    await page.setViewportSize({ width: 375, height: 6000 });
    await expect.poll(() => page.locator('#vessel h2').innerText(), SOON).toContain('WWW');
    expect(await widthOf(page)).toBe(375);
  });
});

test.each([
  ['an override', 'Amber\u202eTern'],
  ['an override behind the end of an isolate', 'Amber\u2069\u202eTern'],
])('a name with %s leaves the words around it in their order', async (_what, vessel) => {
  const { id } = await makeWorkspace(service);
  await addJob(id, vessel);
  await using browser = await openDashboard(`?workspace=${id}`);
  const { page } = browser;
  const title = page.locator('#vessel h2');
  await expect.poll(() => title.innerText(), SOON).toContain('has no voyages');
  /** Where each of the words is drawn, from the left. */
  const places = await title.evaluate((heading) =>
    ['has', 'no', 'voyages', 'compare'].map((word) => {
      const text = heading.firstChild as Text;
      const range = document.createRange();
      const at = text.data.indexOf(` ${word}`) + 1;
      range.setStart(text, at);
      range.setEnd(text, at + word.length);
      return range.getBoundingClientRect().left;
    }),
  );
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});
