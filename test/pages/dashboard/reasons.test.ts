// May take 30 s: a browser over jobs with missing information.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { makeWorkspace, serviceFixture } from '../../service.ts';
import { openDashboard, plain, titleOf } from './open-dashboard.ts';

const service = serviceFixture({ records: true, counts: true, audits: true });

/** Adds an entity, and returns its id. */
async function add(path: string, body: object): Promise<string> {
  const made = await service.ask('POST', path, { as: 'client', body });
  expect(made.status, made.text).toBe(201);
  return made.body.id;
}

const note = async (page: Page, panel: string): Promise<string> =>
  plain(await page.locator(`#${panel} .note`).innerText());
const rows = (page: Page, table: string): Promise<(string | null)[][]> =>
  page
    .locator(`#table-${table} tbody tr`)
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));

describe('reconciliation', () => {
  /** A complete job, measured on both sides. */
  async function addTransfer(workspace: string, job: object, given: object, received: object): Promise<string> {
    const id = await add(`/workspaces/${workspace}/jobs`, {
      status: 'complete',
      activity: 'load',
      eta: '2026-11-01',
      ...job,
    });
    for (const [direction, measured] of [
      ['source', given],
      ['destination', received],
    ] as const)
      await add(`/workspaces/${workspace}/jobs/${id}/quantity`, {
        direction,
        measurements: [measured].flat().map((one) => ({ code: 'TCV', ...one })),
      });
    return id;
  }
  const m3 = (value: number) => ({ value, uom: { name: 'm3' } });

  test('jobs without any difference are in the middle of the band', async () => {
    const workspace = (await makeWorkspace(service)).id;
    await addTransfer(workspace, { refNumber: 'EXACT' }, m3(1000), m3(1000));
    await using browser = await openDashboard(service, `workspace=${workspace}`);
    const chart = browser.page.locator('#reconciliation .chart svg');
    const box = (mark: string) => chart.locator(`path[fill="${mark}"]`).last().boundingBox();
    const [band, point] = [await box('rgb(63,143,91)'), await box('#3f8f5b')];
    const middle = (of: typeof band) => (of ? of.y + of.height / 2 : Number.NaN);
    expect(middle(band)).toBeCloseTo(middle(point), 0);
    expect(await chart.locator('text').allTextContents()).toEqual(expect.arrayContaining(['-0.5', '0', '0.5']));
  });

  test('a loss whose tolerance is not a percentage is neither within nor beyond it', async () => {
    const workspace = (await makeWorkspace(service)).id;
    const cargoes = [{ product: { name: 'Gasoil' }, tolerance: '5% MOLOO' }];
    await addTransfer(workspace, { refNumber: 'MOLOO', cargoes }, m3(1000), m3(900));
    const marks = (page: Page) => page.locator('#reconciliation .chart').first().getAttribute('aria-label').then(plain);
    {
      await using browser = await openDashboard(service, `workspace=${workspace}`);
      const { page } = browser;
      expect(await titleOf(page, 'reconciliation')).toBe('No tolerance is known for the only job');
      expect(await marks(page)).toMatch(/the band is the tolerance\. Of unknown tolerance: MOLOO -10 %\.$/);
      expect(browser.faults).toEqual([]);
    }
    await addTransfer(workspace, { refNumber: 'EXACT' }, m3(1000), m3(1000));
    await using browser = await openDashboard(service, `workspace=${workspace}`);
    const { page } = browser;
    expect(await titleOf(page, 'reconciliation')).toBe('The only job whose tolerance is known is within ±0.5 %');
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

  test('jobs that cannot be compared are counted, and in the table with their reasons', async () => {
    const workspace = (await makeWorkspace(service)).id;
    const tonnes = { value: 500, uom: { name: 'MT' } };
    const reason = 't is a mass and m3 a volume: a density is needed.';
    await addTransfer(workspace, { refNumber: 'U-1' }, m3(1000), tonnes);
    {
      await using browser = await openDashboard(service, `workspace=${workspace}`);
      const { page } = browser;
      expect(await titleOf(page, 'reconciliation')).toBe('Nothing to reconcile');
      expect(plain(await page.locator('#reconciliation .empty').innerText())).toBe(
        `No complete job has quantities that can be compared. ${reason}`,
      );
      expect((await rows(page, 'reconciliation')).map((cells) => [cells[0], cells[6], cells[11]])).toEqual([
        ['U-1', '1,000', reason],
      ]);
    }
    await addTransfer(workspace, { refNumber: 'U-2' }, m3(1000), m3(1000));
    await add(`/workspaces/${workspace}/jobs`, { refNumber: 'U-3', status: 'complete', activity: 'load' });
    await using browser = await openDashboard(service, `workspace=${workspace}`);
    const { page } = browser;
    expect(await titleOf(page, 'reconciliation')).toBe('The only job that can be compared is within ±0.5 %');
    expect(await note(page, 'reconciliation')).toContain('2 of 3 jobs cannot be compared: ');
    expect(await note(page, 'reconciliation')).toContain(reason);
    expect((await rows(page, 'reconciliation')).map(([name]) => name).toSorted()).toEqual(['U-1', 'U-2', 'U-3']);
    expect(browser.faults).toEqual([]);
  });

  test('a job is judged by its TCV, GSV or NSV, whether they have a code or a name, not by water or observed volumes', async () => {
    const workspace = (await makeWorkspace(service)).id;
    const named = (name: string, value: number, code?: string) => ({ code, name, ...m3(value) });
    await addTransfer(
      workspace,
      { refNumber: 'N-1' },
      [named('FW', 10), named('Total', 1000, 'Tcv')],
      [named('FW', 2), named('Total', 999, 'TCV')],
    );
    await addTransfer(
      workspace,
      { refNumber: 'N-2' },
      [named('TOV', 1030), named('NSV', 990), named('Gsv', 1000, 'A1')],
      [named('TOV', 1000), named('NSV', 980), named('GSV', 1002, 'A1')],
    );
    const other = { uom: { name: 'MT' } };
    await addTransfer(
      workspace,
      { refNumber: 'N-3' },
      [named('OBQ', 5), named('TCV', 1)],
      [named('OBQ', 9), { ...named('TCV', 1), ...other }],
    );
    await using browser = await openDashboard(service, `workspace=${workspace}`);
    const { page } = browser;
    expect(await titleOf(page, 'reconciliation')).toBe('None of 2 jobs that can be compared is beyond ±0.5 %');
    const found = (await rows(page, 'reconciliation')).map((cells) => [0, 4, 6, 7, 9].map((at) => cells[at]));
    expect(found.toSorted()).toEqual([
      ['N-1', 'Tcv', '1,000', '999', '-0.1'],
      ['N-2', 'A1', '1,000', '1,002', '0.2'],
      ['N-3', 'TCV', '1', '–', '–'],
    ]);
    expect(browser.faults).toEqual([]);
  });

  test('a job without an ETA has no mark, with a message', async () => {
    const workspace = (await makeWorkspace(service)).id;
    await addTransfer(workspace, { refNumber: 'NE-1', eta: undefined }, m3(1000), m3(900));
    await using browser = await openDashboard(service, `workspace=${workspace}`);
    const { page } = browser;
    expect(await titleOf(page, 'reconciliation')).toBe('The only job is beyond ±0.5 %');
    expect(await note(page, 'reconciliation')).toBe('1 job has no ETA, and is in the table alone.');
    expect(browser.faults).toEqual([]);
  });
});

test('a limit whose results cannot be compared with it is in the table, with the reason', async () => {
  const workspace = (await makeWorkspace(service)).id;
  const addDocument = (type: string, body: object) =>
    add(`/v2/workspaces/${workspace}/documents`, { type: `svc.inspection.${type}`, body });
  const density = { test: { name: 'Density' }, method: { name: 'D1' } };
  const flash = { test: { name: 'Flash point' }, method: { name: 'D1' }, uom: { name: '°C' } };
  const tests = [
    { ...density, uom: { name: 'kg/m3' }, maximum: 840 },
    { ...flash, minimum: 38 },
  ];
  const specification = await addDocument('specification', { name: 'Jet', product: { name: 'Jet A-1' }, tests });
  const parent = await addDocument('job', { refNumber: 'SPEC-1', status: 'complete', specification });
  const sample = { parent, status: 'confirmed', setNumber: 1, sample: { location: 'TK1' } };
  await addDocument('qualityResult', { ...density, ...sample, uom: { name: 'API' }, result: '20' });
  await addDocument('qualityResult', { ...flash, ...sample, result: '40' });
  await using browser = await openDashboard(service, `workspace=${workspace}`);
  const { page } = browser;
  const reason = 'The result is in another unit than the limit.';
  expect(await note(page, 'quality')).toContain(`1 limit has no verdict: ${reason}`);
  expect((await rows(page, 'limits')).map((cells) => [cells[2], cells[4], cells[8], cells[10]])).toEqual([
    ['Flash point', '40', 'meets', '–'],
    ['Density', '–', '–', reason],
  ]);
  expect(browser.faults).toEqual([]);
});

test('a job with more results than listed says which are off specification, and where its tables are cut', async () => {
  const workspace = (await makeWorkspace(service)).id;
  const job = await add(`/workspaces/${workspace}/jobs`, { refNumber: 'MANY', status: 'complete' });
  const one = (index: number, verdict: object) =>
    add(`/workspaces/${workspace}/jobs/${job}/quality`, {
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
  await using browser = await openDashboard(service, `workspace=${workspace}&job=${job}`);
  const { page } = browser;
  await page.locator('#table-quality').waitFor({ state: 'attached' });
  expect(await titleOf(page, 'details')).toContain('103 quality results, 2 off specification');
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

test('a quantity without a code is shown by name', async () => {
  const workspace = (await makeWorkspace(service)).id;
  const job = await add(`/workspaces/${workspace}/jobs`, { refNumber: 'NAMES', status: 'active' });
  const measurements = [
    { name: 'ROB', value: 7, uom: { name: 'm3' } },
    { code: 'TCV', name: 'Total', value: 9, uom: { name: 'm3' } },
  ];
  await add(`/workspaces/${workspace}/jobs/${job}/quantity`, { direction: 'destination', measurements });
  await using browser = await openDashboard(service, `workspace=${workspace}&job=${job}`);
  const { page } = browser;
  await page.locator('#table-quantities').waitFor({ state: 'attached' });
  expect(await rows(page, 'quantities')).toEqual([
    ['destination', 'ROB', '7', 'm3'],
    ['destination', 'TCV', '9', 'm3'],
  ]);
  expect(browser.faults).toEqual([]);
});

test('a small number is not shown as zero, and zero has no sign', async () => {
  const workspace = (await makeWorkspace(service)).id;
  const job = await add(`/workspaces/${workspace}/jobs`, { refNumber: 'SMALL', status: 'complete', activity: 'load' });
  for (const [direction, value] of [
    ['source', 1_000_000],
    ['destination', 999_999.9999],
  ] as const) {
    const measurements = [
      { code: 'TCV', value, uom: { name: 'm3' } },
      { code: 'ROB', value: -0.00000012, uom: { name: 'm3' } },
    ];
    await add(`/workspaces/${workspace}/jobs/${job}/quantity`, { direction, measurements });
  }
  await using browser = await openDashboard(service, `workspace=${workspace}&job=${job}`);
  const { page } = browser;
  await page.locator('#table-quantities').waitFor({ state: 'attached' });
  expect((await rows(page, 'quantities')).map((cells) => cells[2]).toSorted()).toEqual([
    '-0.00000012',
    '-0.00000012',
    '1,000,000',
    '999,999.9999',
  ]);
  expect((await rows(page, 'reconciliation')).map((cells) => cells.slice(6, 10))).toEqual([
    ['1,000,000', '999,999.9999', '0', '0'],
  ]);
  expect(browser.faults).toEqual([]);
});
