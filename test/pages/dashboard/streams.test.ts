// May take 30 s: eight dashboards in one browser.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { DEMO, SESSION } from '../../auth/sign-in.ts';
import { makeWorkspace, serviceFixture } from '../../service.ts';
import { type Browser, openBrowser } from '../browser.ts';
import { KEY, loadDashboard, panelsAnswered } from './open-dashboard.ts';

/** However busy the machine is. */
const SOON = { timeout: 60_000 };
/** How many streams one browser's pages hold together; it opens six connections per host. */
const STREAMS = 4;

const service = serviceFixture({ records: true, counts: true, audits: true });

async function openDashboard(browser: Browser, page: Page, workspace: string): Promise<void> {
  await loadDashboard(page, service, `workspace=${workspace}`);
  await panelsAnswered(page);
  await page.locator('.live[data-live=true], .live[data-live=asking]').waitFor();
  expect(browser.faults).toEqual([]);
}

const liveOf = (pages: readonly Page[]) =>
  Promise.all(pages.map((page) => page.locator('.live').getAttribute('data-live')));
const addJob = async (workspace: string) => {
  const body = { refNumber: 'ST-1', status: 'active' };
  const { status } = await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body });
  expect(status).toBe(201);
};
const title = (page: Page) => page.locator('#jobs h2').innerText();

/** Whether a page is visible, according to its browser. */
const show = (page: Page, isShown: boolean) =>
  page.evaluate((shown) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: !shown });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isShown);

describe('eight dashboards in one browser', () => {
  test('all open, the last ones without a stream until another page closes or is hidden', async () => {
    const { id } = await makeWorkspace(service);
    await using browser = await openBrowser(service.url);
    const pages = [browser.page];
    while (pages.length < 8) pages.push(await browser.context.newPage());
    for (const page of pages) await openDashboard(browser, page, id);
    const shared = Array.from({ length: pages.length - STREAMS }, () => 'asking');
    expect(await liveOf(pages)).toEqual([...Array.from({ length: STREAMS }, () => 'true'), ...shared]);
    const [first, second, , , , , , last] = pages as [Page, Page, Page, Page, Page, Page, Page, Page];
    expect(await last.locator('.live').innerText()).toContain('Other tabs');
    await addJob(id); // those notified, and those polling
    await expect.poll(() => title(second), SOON).toBe('The only job is not overdue');
    await expect.poll(() => title(last), SOON).toBe('The only job is not overdue');
    await show(first, false);
    await expect.poll(async () => (await liveOf(pages)).filter((live) => live === 'true').length, SOON).toBe(STREAMS);
    expect((await liveOf([first]))[0]).toBe('undefined');
    expect(browser.faults).toEqual([]);
  });
});

const endOfStream = (page: Page) =>
  page.waitForEvent('requestfailed', (request) => request.postData()?.includes('subscription') ?? false);

describe('a hidden dashboard', () => {
  test('closes its stream, and shows what it missed once visible again', async () => {
    const { id } = await makeWorkspace(service);
    await using browser = await openBrowser(service.url);
    const { page } = browser;
    const ended = endOfStream(page);
    await openDashboard(browser, page, id);
    await show(page, false);
    await ended;
    await addJob(id);
    expect(await title(page)).toBe('No jobs');
    await show(page, true);
    await expect.poll(() => title(page), SOON).toBe('The only job is not overdue');
    await page.locator('.live[data-live=true]').waitFor();
  });

  test('closes its stream when left, even if the browser caches the page', async () => {
    const { id } = await makeWorkspace(service);
    await using browser = await openBrowser(service.url);
    const { page } = browser;
    const ended = endOfStream(page);
    await openDashboard(browser, page, id);
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
    await ended;
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await page.locator('.live[data-live=true]').waitFor();
  });
});

test('a session that ends meanwhile is reported, offering to sign in', async () => {
  await makeWorkspace(service);
  await using browser = await openBrowser(service.url);
  const { page } = browser;
  await page.addInitScript((name) => sessionStorage.setItem(name, ''), KEY);
  await page.goto(`${service.url}/dashboard`);
  const signIn = async () => {
    await page.locator('[name=username]').fill(DEMO.username);
    await page.locator('[name=password]').fill(DEMO.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.locator('.live[data-live=true]').waitFor();
  };
  await page.locator('#session').click();
  await signIn();
  await page.evaluate(
    (address) => fetch(address, { method: 'DELETE', headers: { 'X-Requested-With': 'fetch' } }),
    `${service.url}${SESSION}`,
  );
  await page.locator('.live[data-live=ended]').waitFor();
  expect(await page.locator('.live').innerText()).toContain('The session has ended');
  expect(await page.locator('#session').innerText()).toBe('Sign in…');
  await page.locator('.live button').click();
  await signIn();
});

/** A way to a service on which streams can be forgotten: they stay open, and nothing passes any more. */
async function openWay(target: string): Promise<AsyncDisposable & { readonly url: string; forget(): void }> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const streams = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('data', (data) => {
        if (from === near && data.includes('documentChanged(')) streams.add(near).add(far); // the pages have the text, too
      });
      from.pipe(to);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forget() {
      for (const socket of streams) socket.unpipe().pause();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

test('a stream that was forgotten on its way is replaced, and what it missed is shown', async () => {
  const { id } = await makeWorkspace(service);
  await using way = await openWay(service.url);
  await using browser = await openBrowser(way.url);
  const { page } = browser;
  await page.clock.install();
  await page.goto(`${way.url}/dashboard?workspace=${id}`);
  await panelsAnswered(page);
  await page.locator('.live[data-live=true]').waitFor();
  way.forget();
  await addJob(id);
  await page.clock.fastForward(20_000);
  await page.locator('.live[data-live=true]').waitFor();
  await page.clock.fastForward(40_000);
  await expect.poll(() => title(page), SOON).toBe('The only job is not overdue');
  await page.locator('.live[data-live=true]').waitFor();
});
