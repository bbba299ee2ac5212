// May take 20 s: a browser over the seeded demo.
import { beforeAll, expect, test } from 'vitest';
import { PANELS } from '../../../src/pages/dashboard.ts';
import { serviceFixture } from '../../service.ts';
import { openBrowser } from '../browser.ts';
import { seedPanels } from './open-dashboard.ts';

/** However busy the machine is. */
const SOON = { timeout: 60_000 };
const WORKSPACE = '0190a000-0000-7000-8000-0000000b0001';

const service = serviceFixture({ records: true, counts: true, audits: true });
beforeAll(() => seedPanels(service));

/** What is drawn in a page's charts: overlaps and clipped parts, and all texts. */
interface Drawn {
  readonly texts: readonly string[];
  readonly overprinted: readonly string[];
  readonly cut: readonly string[];
}

/** Runs in the page. Job names are turned by 90° and do not count, as their boxes are wider than their letters. */
function drawnOf(charts: readonly Element[]): Drawn {
  const texts: string[] = [];
  const overprinted: string[] = [];
  const cut: string[] = [];
  for (const chart of charts) {
    const whole = chart.getBoundingClientRect();
    const all = [...chart.querySelectorAll('text')]
      .map((text) => ({ said: text.textContent ?? '', box: text.getBoundingClientRect() }))
      .filter(({ said }) => said.trim() && !said.startsWith('NC-'));
    for (const [index, { said, box }] of all.entries()) {
      texts.push(said);
      if (box.left < whole.left - 1 || box.right > whole.right + 1) cut.push(said);
      for (const other of all.slice(index + 1)) {
        const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        const areNumbers = /^-?[\d.]+$/.test(said) && /^-?[\d.]+$/.test(other.said);
        if (areNumbers && across > 1 && down > 4) overprinted.push(`${said} and ${other.said}`);
      }
    }
  }
  return { texts, overprinted, cut };
}

test.each([320, 390])('charts are readable at %i px', async (width) => {
  await using browser = await openBrowser(service.url);
  const { page } = browser;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height: 9000 });
  await page.goto(`${service.url}/dashboard?workspace=${WORKSPACE}`);
  for (const panel of PANELS) await page.locator(`#${panel}[aria-busy=false] .chart svg`).first().waitFor();
  const { texts, overprinted, cut } = await page.locator('.chart svg').evaluateAll(drawnOf);
  expect(overprinted).toEqual([]);
  expect(cut).toEqual([]);
  expect(texts).toContain('Cancelled');
  // audit findings stand at their jobs' ETAs, which all differ
  const marks = await page.locator('#audit .chart svg path').evaluateAll((paths) =>
    paths
      .map((path) => path.getBoundingClientRect())
      .filter(({ width: across, height }) => across > 5 && across < 18 && height > 5 && height < 18)
      .map(({ left }) => left),
  );
  expect(marks.length).toBeGreaterThan(3);
  expect(Math.max(...marks) - Math.min(...marks)).toBeGreaterThan(60);
  expect(browser.faults).toEqual([]);
});

test('charts of a window that becomes narrow are drawn anew, of the answers that are there', async () => {
  await using browser = await openBrowser(service.url);
  const { page } = browser;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.setViewportSize({ width: 1400, height: 9000 });
  await page.goto(`${service.url}/dashboard?workspace=${WORKSPACE}`);
  for (const panel of PANELS) await page.locator(`#${panel}[aria-busy=false] .chart svg`).first().waitFor();
  const asked: string[] = [];
  page.on('request', (request) => request.postData()?.includes('"where"') && asked.push(request.postData() ?? ''));
  await page.setViewportSize({ width: 320, height: 9000 });
  const loss = page.locator('#voyages .chart svg path[fill="#c8452f"]').first();
  await expect.poll(async () => (await loss.boundingBox())?.width ?? 0, SOON).toBeGreaterThan(20);
  await expect.poll(async () => (await page.locator('.chart svg').evaluateAll(drawnOf)).cut, SOON).toEqual([]);
  expect(asked).toEqual([]);
  expect(browser.faults).toEqual([]);
});

test.each([
  ['a picture of several parts', '👩‍👩‍👧'],
  ['a letter with marks', 'n̈̃'],
])('a name that is shortened ends with %s as a whole', async (_, letter) => {
  await using browser = await openBrowser(service.url);
  const { page } = browser;
  await page.goto(`${service.url}/dashboard?workspace=${WORKSPACE}`);
  for (const ahead of ['', 'a', 'ab', 'abc', 'abcd', 'abcde', 'abcdef', 'abcdefg']) {
    const shown = await page.evaluate<string>(`
      import(document.querySelector('[href$="views/show.js"]').href).then(({ shortened }) => shortened('${ahead + letter.repeat(60)}'))
    `);
    const kept = shown.slice(ahead.length, -1);
    expect(shown.endsWith('…')).toBe(true);
    expect(kept).toBe(letter.repeat(Math.floor(kept.length / letter.length)));
    expect(kept.length).toBeGreaterThan(100);
  }
});

test('on paper every number, day and time of a wide table is on one line', async () => {
  await using browser = await openBrowser(service.url);
  const { page } = browser;
  await page.setViewportSize({ width: 718, height: 9000 }); // A4, less its margins
  await page.goto(`${service.url}/dashboard?workspace=${WORKSPACE}`);
  for (const panel of PANELS) await page.locator(`#${panel}[aria-busy=false] .chart svg`).first().waitFor();
  for (const summary of await page.locator('summary').all()) await summary.click();
  await page.emulateMedia({ media: 'print' });
  const texts = await page.locator('td.number, td time').evaluateAll((cells) =>
    cells.map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return { said: cell.textContent, lines: new Set([...range.getClientRects()].map(({ top }) => top)).size };
    }),
  );
  expect(texts.filter(({ said }) => /^\d{4}-\d\d-\d\d$/.test(said ?? '')).length).toBeGreaterThan(100);
  expect(texts.filter(({ said }) => /^-?[\d,.]+$/.test(said ?? '')).length).toBeGreaterThan(300);
  expect(texts.filter(({ lines }) => lines !== 1)).toEqual([]);
});
