import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { PANELS } from '../../../src/pages/dashboard.ts';
import { CALLERS, makeWorkspace, serviceFixture } from '../../service.ts';
import { type Browser, openBrowser } from '../browser.ts';
import { loadDashboard } from './open-dashboard.ts';

/** However busy the machine is. */
const SOON = { timeout: 60_000 };

const service = serviceFixture({ records: true, counts: true, audits: true });

async function openDashboard(query = '', key?: string): Promise<Browser> {
  const browser = await openBrowser(service.url);
  await loadDashboard(browser.page, service, query, key);
  return browser;
}

async function addJob(workspace: string, vessel: string): Promise<void> {
  const body = { refNumber: 'NW-1', status: 'active', transports: [{ name: vessel }] };
  const { status } = await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body });
  expect(status).toBe(201);
}

/** Every panel has an answer, or says why not. */
async function settled(page: Page): Promise<void> {
  for (const panel of PANELS) await page.locator(`#${panel}[aria-busy=false] .empty`).waitFor();
}

describe('the dashboard of an empty workspace', () => {
  test('says so in each panel, and shows the first job and its vessel once they exist', async () => {
    const { id } = await makeWorkspace(service);
    await using browser = await openDashboard(`workspace=${id}`);
    const { page } = browser;
    await settled(page);
    expect(await page.locator('#vessel h2').innerText()).toBe('No vessels');
    await page.locator('.live[data-live=true]').waitFor();
    await addJob(id, 'Amber Tern');
    await expect
      .poll(() => page.locator('select[name=vessel] option').allTextContents(), SOON)
      .toEqual(['All vessels', 'Amber Tern']);
    await expect.poll(() => page.locator('#vessel h2').innerText(), SOON).toContain('Amber Tern');
    expect(browser.faults).toEqual([]);
  });
});

describe('the dashboard of a party without a workspace', () => {
  const says = async (page: Page) => {
    await settled(page);
    expect(await page.locator('.live').innerText()).toContain('You are not a party to any workspace yet');
    expect(await page.locator('[role=alert]').count()).toBe(0);
    for (const panel of PANELS) expect(await page.locator(`#${panel} h2`).innerText()).toMatch(/: no workspace$/);
  };

  test('says so on a fresh page', async () => {
    await using browser = await openDashboard('', CALLERS.stranger);
    await says(browser.page);
    expect(browser.faults).toEqual([]);
  });

  test('says so after a key change, without requesting the previous workspace', async () => {
    const { id } = await makeWorkspace(service);
    await addJob(id, 'Amber Tern');
    await using browser = await openDashboard(`workspace=${id}`);
    const { page } = browser;
    await expect.poll(() => page.locator('#vessel h2').innerText(), SOON).toContain('Amber Tern');
    await page.locator('#callers').selectOption(CALLERS.stranger);
    await says(page);
    expect(await page.locator('select[name=vessel] option').allTextContents()).toEqual(['All vessels']);
    await page.locator('#callers').selectOption(CALLERS.client);
    await expect.poll(() => page.locator('#jobs h2').innerText(), SOON).toBe('The only job is not overdue');
    expect(browser.faults).toEqual([]);
  });
});

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
    await using browser = await openDashboard(`workspace=${id}`);
    const { page } = browser;
    await page.setViewportSize({ width: 375, height: 6000 });
    await expect.poll(() => page.locator('#vessel h2').innerText(), SOON).toContain('WWW');
    expect(await widthOf(page)).toBe(375);
  });
});

test.each([
  ['an override', 'Amber\u202eTern'],
  ['an override behind the end of an isolate', 'Amber\u2069\u202eTern'],
])('a name with %s leaves the surrounding words in order', async (_what, vessel) => {
  const { id } = await makeWorkspace(service);
  await addJob(id, vessel);
  await using browser = await openDashboard(`workspace=${id}`);
  const { page } = browser;
  const title = page.locator('#vessel h2');
  await expect.poll(() => title.innerText(), SOON).toContain('has no voyages');
  /** The horizontal position of each word, from the left. */
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
