// May take 30 s: a browser over jobs of which something is not known.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { PANELS } from '../../src/pages/dashboard.ts';
import { CALLERS, makeWorkspace, serviceFixture } from '../service.ts';
import { type Browser, openBrowser } from './browser.ts';

const KEY = 'inspection-exchange:key';

const service = serviceFixture({ records: true, counts: true, audits: true });

/** Adds something to a workspace, and gives its id. */
async function add(workspace: string, path: string, body: object): Promise<string> {
  const made = await service.ask('POST', `/workspaces/${workspace}${path}`, { as: 'client', body });
  expect(made.status, made.text).toBe(201);
  return made.body.id;
}

async function openDashboard(query: string): Promise<Browser> {
  const browser = await openBrowser(service.url);
  const { page } = browser;
  await page.setViewportSize({ width: 1400, height: 6000 });
  await page.addInitScript(([name, value]) => sessionStorage.setItem(name ?? '', value ?? ''), [KEY, CALLERS.client]);
  await page.goto(`${service.url}/dashboard?${query}`);
  for (const panel of PANELS) await page.locator(`#${panel}[aria-busy=false] h2`).waitFor();
  return browser;
}

const plain = (text: string | null): string => (text ?? '').replace(/[\u2068\u2069]/g, '');
const title = async (page: Page, panel: string): Promise<string> =>
  plain(await page.locator(`#${panel} h2`).innerText());
const note = async (page: Page, panel: string): Promise<string> =>
  plain(await page.locator(`#${panel} .note`).innerText());
const rows = (page: Page, table: string): Promise<(string | null)[][]> =>
  page
    .locator(`#table-${table} tbody tr`)
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));

describe('reconciliation', () => {
  /** A complete job, with what was measured on both sides. */
  async function addTransfer(workspace: string, job: object, given: object, received: object): Promise<string> {
    const id = await add(workspace, '/jobs', { status: 'complete', activity: 'load', eta: '2026-11-01', ...job });
    for (const [direction, measured] of [
      ['source', given],
      ['destination', received],
    ] as const)
      await add(workspace, `/jobs/${id}/quantity`, { direction, measurements: [{ code: 'TCV', ...measured }] });
    return id;
  }
  const m3 = (value: number) => ({ value, uom: { name: 'm3' } });

  test('a loss whose tolerance is not a percentage is neither within nor beyond it', async () => {
    const workspace = (await makeWorkspace(service)).id;
    const cargoes = [{ product: { name: 'Gasoil' }, tolerance: '5% MOLOO' }];
    await addTransfer(workspace, { refNumber: 'MOLOO', cargoes }, m3(1000), m3(900));
    const marks = (page: Page) => page.locator('#reconciliation .chart').first().getAttribute('aria-label').then(plain);
    {
      await using browser = await openDashboard(`workspace=${workspace}`);
      const { page } = browser;
      expect(await title(page, 'reconciliation')).toBe('No tolerance is known for the only job');
      expect(await marks(page)).toMatch(/the band is the tolerance\. Of unknown tolerance: MOLOO -10 %\.$/);
      expect(browser.faults).toEqual([]);
    }
    await addTransfer(workspace, { refNumber: 'EXACT' }, m3(1000), m3(1000));
    await using browser = await openDashboard(`workspace=${workspace}`);
    const { page } = browser;
    expect(await title(page, 'reconciliation')).toBe('The only job whose tolerance is known is within ±0.5 %');
    expect(await marks(page)).toMatch(/All whose tolerance is known are inside\. Of unknown tolerance: MOLOO -10 %\.$/);
    expect(await note(page, 'reconciliation')).toBe(
      '1 job has a tolerance that is not a percentage, and is neither within nor beyond it: MOLOO -10 %.',
    );
    expect(await page.locator('#reconciliation .keys').first().innerText()).toContain('tolerance unknown');
    const reasons = (await rows(page, 'reconciliation')).map((cells) => [cells[0], ...cells.slice(9)]);
    expect(reasons.toSorted()).toEqual([
      ['EXACT', '0', '0.5', '–'],
      ['MOLOO', '-10', '–', 'The tolerance of the cargo, "5% MOLOO", is not a percentage.'],
    ]);
    expect(browser.faults).toEqual([]);
  });
});

test('a job of more results than are listed says which are off specification, and where its tables are cut', async () => {
  const workspace = (await makeWorkspace(service)).id;
  const job = await add(workspace, '/jobs', { refNumber: 'MANY', status: 'complete' });
  const one = (index: number, verdict: object) =>
    add(workspace, `/jobs/${job}/quality`, {
      test: { name: `T${index}` },
      result: `${index}`,
      setNumber: 1,
      ...verdict,
    });
  await one(0, { isOffSpec: true });
  await one(1, { isPassed: false });
  for (let index = 2; index < 103; index++) await one(index, { isOffSpec: false });
  for (let index = 0; index < 101; index++) {
    const path = `/workspaces/${workspace}/jobs/${job}`;
    const { status } = await service.ask('PATCH', path, { as: 'client', body: { tripNumber: `${index}` } });
    expect(status).toBe(200);
  }
  await using browser = await openDashboard(`workspace=${workspace}&job=${job}`);
  const { page } = browser;
  await page.locator('#table-quality').waitFor({ state: 'attached' });
  expect(await title(page, 'details')).toContain('103 quality results, 2 off specification');
  expect((await rows(page, 'quality')).slice(0, 3).map((cells) => [cells[0], cells[3]])).toEqual([
    ['T0', 'yes'],
    ['T1', 'yes'],
    ['T102', 'no'],
  ]);
  expect(await page.locator('#table-quality caption').textContent()).toBe(
    'Quality: 102 of 103 results, the newest of those off specification and of all',
  );
  expect(await page.locator('#table-versions caption').textContent()).toBe(
    'Versions: who changed what (versions before 3 are not listed)',
  );
  expect(browser.faults).toEqual([]);
});
