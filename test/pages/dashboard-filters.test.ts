// May take 20 s: a browser over the seeded demo.
import { beforeAll, describe, expect, test } from 'vitest';
import { seedDemo } from '../../src/demo/seed.ts';
import { PANELS } from '../../src/pages/dashboard.ts';
import { serviceFixture } from '../service.ts';
import { type Browser, openBrowser } from './browser.ts';

/** However busy the machine is. */
const SOON = { timeout: 60_000 };
const WORKSPACE = '0190a000-0000-7000-8000-0000000b0001';

const service = serviceFixture({ records: true, counts: true, audits: true });
beforeAll(() => seedDemo(service.stores, () => undefined));

async function openDashboard(query: string): Promise<Browser> {
  const browser = await openBrowser(service.url);
  await browser.page.setViewportSize({ width: 1400, height: 6000 });
  await browser.page.goto(`${service.url}/dashboard?workspace=${WORKSPACE}${query}`);
  return browser;
}

describe('a period in the address that is none', () => {
  test.each([
    ['from', 'abc'],
    ['to', 'abc'],
    ['to', '2026-13-45'],
    ['from', '2026-02-30'],
    ['to', '275760-09-13'],
  ])('is left out and said in words, until a day is chosen: %s=%s', async (name, text) => {
    await using browser = await openDashboard(`&${name}=${text}`);
    const { page } = browser;
    const fault = page.locator('.filters [role=alert]');
    await fault.waitFor();
    expect((await fault.innerText()).replace(/[\u2068\u2069]/g, '')).toBe(
      `“${name}” is ${text}, and is left out: it has to be a day from 1900-01-01 to 2999-12-31, such as 2026-05-31. Choose another day.`,
    );
    for (const panel of PANELS) await page.locator(`#${panel}[aria-busy=false] .chart`).first().waitFor();
    const without = await page.locator('#jobs h2').innerText();
    await page.locator(`input[name=${name}]`).fill('2026-04-10');
    await fault.waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('#jobs h2').innerText(), SOON).not.toBe(without);
    expect(new URL(page.url()).searchParams.get(name)).toBe('2026-04-10');
    expect(browser.faults).toEqual([]);
  });
});
