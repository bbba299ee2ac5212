// May take 20 s: a browser over the seeded demo.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { PANELS } from '../../../src/pages/dashboard.ts';
import { serviceFixture } from '../../service.ts';
import { type Browser, openBrowser } from '../browser.ts';
import { seedPanels } from './open-dashboard.ts';

/** However busy the machine is. */
const SOON = { timeout: 60_000 };
const WORKSPACE = '0190a000-0000-7000-8000-0000000b0001';
const JOB = '019da02b-c518-7182-afa9-49e59e9c33a1';

const service = serviceFixture({ records: true, counts: true, audits: true });
beforeAll(() => seedPanels(service));

/** A page whose panels are all visible at once, before it has an address. */
async function openPage(): Promise<Browser> {
  const browser = await openBrowser(service.url);
  await browser.page.setViewportSize({ width: 1400, height: 6000 });
  return browser;
}

const open = (page: Page): Promise<unknown> => page.goto(`${service.url}/dashboard?workspace=${WORKSPACE}`);
const settled = async (page: Page, panels: readonly string[]): Promise<void> => {
  for (const panel of panels) await page.locator(`#${panel}[aria-busy=false] .chart`).first().waitFor();
};
const alertOf = async (page: Page, panel: string): Promise<string> =>
  (await page.locator(`#${panel} [role=alert]`).innerText()).replace(/[\u2068\u2069]/g, '');
const others = PANELS.filter((panel) => panel !== 'time');

const UNSHOWABLE = 'The response cannot be shown. Choose other filters. Try again';

describe('a panel that cannot show its answer says so, and the others are shown', () => {
  test('when the answer is unexpected', async () => {
    await using browser = await openPage();
    const { page } = browser;
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('"allowedHours":36')) return route.fallback();
      const response = await route.fetch();
      const { data, errors } = await response.json();
      await route.fulfill({ json: data ? { data: { jobs: { ...data.jobs, nodes: [null] } } } : { errors } });
    });
    await open(page);
    await settled(page, others);
    expect(await page.locator('#time h2').innerText()).toBe('Time at port: not available');
    expect(await alertOf(page, 'time')).toBe(UNSHOWABLE);
    await page.unroute('**/graphql');
    await page.locator('#time [role=alert] button').click();
    await settled(page, ['time']);
    expect(browser.faults).toEqual([expect.stringContaining('timeSummary')]);
  });

  test('when its chart cannot be drawn', async () => {
    await using browser = await openPage();
    const { page } = browser;
    await page.addInitScript(() => {
      const found = { echarts: {} as { init: (place: HTMLElement, ...rest: unknown[]) => unknown } };
      const init = (place: HTMLElement, ...rest: unknown[]) => {
        if (place.closest('#time') && !document.title.startsWith('Now')) throw new Error('No picture.');
        return found.echarts.init(place, ...rest);
      };
      Object.defineProperty(window, 'echarts', {
        get: () =>
          new Proxy(found.echarts, { get: (target, name) => (name === 'init' ? init : Reflect.get(target, name)) }),
        set: (echarts) => {
          found.echarts = echarts;
        },
      });
    });
    await open(page);
    await settled(page, others);
    await expect.poll(() => page.locator('#time h2').innerText(), SOON).toBe('Time at port: not available');
    expect(await alertOf(page, 'time')).toBe(UNSHOWABLE);
    await page.evaluate("document.title = 'Now it can be drawn'");
    await page.locator('#time [role=alert] button').click();
    await settled(page, ['time']);
    expect(new Set(browser.faults)).toEqual(new Set(['No picture.']));
  });
});

describe('a non-GraphQL answer', () => {
  const said = (status: number): string =>
    `The service cannot be reached just now (${status}). The dashboard will try again automatically. Try again`;

  test.each([
    ['JSON of a proxy', 502, 'application/json', '{"message":"An invalid response was received"}'],
    ['a page', 503, 'text/html', '<html><body>Service unavailable</body></html>'],
  ])('is not shown by the panel, which retries: %s', async (_what, status, contentType, body) => {
    await using browser = await openPage();
    const { page } = browser;
    await open(page);
    await settled(page, PANELS);
    const product = await page.locator('select[name=product] option').nth(1).getAttribute('value');
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('"allowedHours"')
        ? route.fulfill({ status, contentType, body })
        : route.fallback(),
    );
    await page.locator('select[name=product]').selectOption(product);
    await page.locator('#time [role=alert]').waitFor();
    expect(await alertOf(page, 'time')).toBe(said(status));
    expect(await page.locator('#time .chart, #time .note, #time table').count()).toBe(0);
    await settled(page, ['jobs']);
    await page.unroute('**/graphql');
    await page.locator('#time[aria-busy=false] .chart').first().waitFor();
    expect(browser.faults.filter((fault) => !fault.startsWith('Failed to load resource'))).toEqual([]);
  });

  test('leaves the figures of the same question on the page, as they were unfolded', async () => {
    await using browser = await openPage();
    const { page } = browser;
    await open(page);
    await settled(page, PANELS);
    await page.locator('.live[data-live=true]').waitFor();
    for (const panel of ['jobs', 'time']) await page.locator(`#${panel} summary`).click();
    await page.locator('#table-late .link').first().focus();
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('"where"')
        ? route.fulfill({ status: 503, contentType: 'text/html', body: '<html></html>' })
        : route.fallback(),
    );
    const title = await page.locator('#jobs h2').innerText();
    const patch = { as: 'client', body: { tripNumber: 'T-1' } } as const;
    expect((await service.ask('PATCH', `/workspaces/${WORKSPACE}/jobs/${JOB}`, patch)).status).toBe(200);
    for (const panel of ['jobs', 'time']) {
      await page.locator(`#${panel} [role=alert]`).waitFor();
      expect(await alertOf(page, panel)).toBe(said(503));
      expect(await page.locator(`#${panel} .chart svg`).count()).toBeGreaterThan(0);
      expect(await page.locator(`#${panel} details[open] table`).count()).toBeGreaterThan(0);
    }
    expect(await page.locator('#jobs h2').innerText()).toBe(title);
    expect(await page.evaluate("document.activeElement.closest('table')?.id")).toBe('table-late');
    await page.unroute('**/graphql');
    await expect.poll(() => page.locator('[role=alert]').count(), SOON).toBe(0);
    expect(browser.faults.filter((fault) => !fault.startsWith('Failed to load resource'))).toEqual([]);
  });

  test('is retried after a network failure, even as the first of all', async () => {
    await using browser = await openPage();
    const { page } = browser;
    await page.route('**/graphql', (route) => route.abort());
    await open(page);
    await page.locator('#jobs [role=alert]').waitFor();
    expect(await alertOf(page, 'jobs')).toBe(
      'The service cannot be reached. The dashboard will try again automatically. Try again',
    );
    await page.unroute('**/graphql');
    await settled(page, PANELS);
  });

  test('is reported as it is if it will not change', async () => {
    await using browser = await openPage();
    const { page } = browser;
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('"allowedHours"')
        ? route.fulfill({ status: 200, contentType: 'application/json', body: '"sign in"' })
        : route.fallback(),
    );
    await open(page);
    await settled(page, others);
    expect(await alertOf(page, 'time')).toBe('What was received is not a response from the service (200). Try again');
    expect(browser.faults).toEqual([]);
  });
});

test('panels outside the window are loaded after one inside is answered, so that they print', async () => {
  await using browser = await openPage();
  const { page } = browser;
  await page.setViewportSize({ width: 1200, height: 500 });
  const released = Promise.withResolvers<void>();
  const asked: boolean[] = [];
  await page.route('**/graphql', async (route) => {
    const variables = route.request().postDataJSON().variables ?? {};
    if ('where' in variables) asked.push('allowedHours' in variables);
    if ('where' in variables) await released.promise;
    await route.fallback();
  });
  await open(page);
  await expect.poll(() => asked.length, SOON).toBeGreaterThan(0);
  expect(asked).not.toContain(true);
  released.resolve();
  await settled(page, PANELS);
  expect(await page.evaluate('scrollY')).toBe(0);
  expect(browser.faults).toEqual([]);
});
