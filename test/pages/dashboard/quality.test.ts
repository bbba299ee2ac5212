// May take 15 s: a browser over results of every kind.
import { beforeAll, expect, test } from 'vitest';
import { makeWorkspace, serviceFixture } from '../../service.ts';
import type { Browser } from '../browser.ts';
import { openDashboard } from './open-dashboard.ts';

const service = serviceFixture({ records: true, counts: true, audits: true });
let workspace: string;

const add = async (type: string, body: object): Promise<string> => {
  const path = `/v2/workspaces/${workspace}/documents`;
  const made = await service.ask('POST', path, { as: 'client', body: { type: `svc.inspection.${type}`, body } });
  expect(made.status, made.text).toBe(201);
  return made.body.id;
};
const METHOD = { method: { name: 'D1' }, uom: { name: '°C' } };
const report = (parent: string, test: string, more: object): Promise<string> => {
  const body = { parent, test: { name: test }, ...METHOD, sample: { location: 'TK1' } };
  return add('qualityResult', { ...body, status: 'confirmed', setNumber: 1, ...more });
};

const open = (query = ''): Promise<Browser> => openDashboard(service, `workspace=${workspace}${query}`);

beforeAll(async () => {
  workspace = (await makeWorkspace(service)).id;
  const tests = [
    { test: { name: 'Freezing point' }, ...METHOD, maximum: -47 },
    { test: { name: 'Flash point' }, ...METHOD, minimum: 38 },
    { test: { name: 'Colour' }, ...METHOD, maximum: 0 },
  ];
  const specification = await add('specification', { name: 'Jet', product: { name: 'Jet A-1' }, tests });
  const job = (refNumber: string) =>
    add('job', { refNumber, status: 'complete', specification, cargo: { product: { name: 'Jet A-1' } } });
  const [good, bad, odd] = [await job('JET-1'), await job('JET-2'), await job('\n=1+1')];
  await report(good, 'Freezing point', { result: '-50', isOffSpec: false });
  await report(good, 'Flash point', { result: '40', isOffSpec: false });
  await report(good, 'Colour', { result: '0', isOffSpec: false });
  await report(bad, 'Freezing point', { result: '-35', isOffSpec: true });
  await report(bad, 'Flash point', { result: '-3', isOffSpec: true });
  await report(odd, 'Flash point', { result: '＝1+1', isOffSpec: true });
});

test('a CSV file has numbers as numbers, and no text a spreadsheet would take for a formula', async () => {
  await using browser = await open();
  const href = await browser.page.locator('a[download="off-specification.csv"]').getAttribute('href');
  const csv = decodeURIComponent(href?.slice(href.indexOf(',') + 1) ?? '');
  expect(csv).toContain('Freezing point,-35,');
  expect(csv).toContain('Flash point,-3,');
  expect(csv).toContain(`"'\n=1+1",Jet A-1,Off specification,Flash point,'＝1+1,`);
});

test('a value has a share of its limit only if both are above zero; the table has all', async () => {
  await using browser = await open();
  const { page } = browser;
  const rows = await page
    .locator('#table-limits tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  expect(await page.locator('#quality .chart').last().getAttribute('aria-label')).toContain(
    '0 values fail, 0 doubtful, of 1',
  );
  const judged = rows.filter((row) => row[8] !== '–');
  const shown = judged.map((row) => [row[2], row[4], row[8], row[9]].join(' ')).toSorted();
  expect(shown).toEqual([
    'Colour 0 meets –',
    'Flash point -3 fails –',
    'Flash point 40 meets 95',
    'Freezing point -35 fails –',
    'Freezing point -50 meets –',
  ]);
  expect(await page.locator('#quality h2').innerText()).toBe(
    '3 results off specification, 0 retests needed, 2 values fail their limits',
  );
  expect(await page.locator('#quality .note').innerText()).toContain(
    '4 values are in the table alone: of a limit or value that is not above zero there is no percentage.',
  );
  expect(browser.faults).toEqual([]);
});

test('a result that did not pass is off specification in the title, the list, the note and the job', async () => {
  workspace = (await makeWorkspace(service)).id;
  const product = { name: 'Gasoil' };
  const job = await add('job', { refNumber: 'GO-1', status: 'complete', cargo: { product } });
  await report(job, 'Sulphur', { result: '12', isPassed: false });
  await report(job, 'Density', { result: '830', isPassed: true });
  await report(job, 'Colour', { result: '1' });
  await report(job, 'Flash point', { result: '50', isOffSpec: true, isPassed: true });
  await using browser = await open(`&job=${job}`);
  const { page } = browser;
  await page.locator('#table-quality').waitFor({ state: 'attached' });
  expect(await page.locator('#quality h2').innerText()).toBe('2 results off specification, 0 retests needed');
  expect(await page.locator('#quality .note').innerText()).toContain('2 results of 3 that were judged are off');
  const tests = page.locator('#table-off-specification tbody td:nth-child(4)');
  expect(await tests.allTextContents()).toEqual(['Flash point', 'Sulphur']); // newest first
  const rows = await page
    .locator('#table-quality tbody tr')
    .evaluateAll((all) => all.map((row) => [row.children[0]?.textContent, row.children[3]?.textContent].join(' ')));
  expect(rows.toSorted()).toEqual(['Colour –', 'Density no', 'Flash point yes', 'Sulphur yes']);
  expect(await page.locator('#details h2').innerText()).toContain('4 quality results, 2 off specification');
  expect(browser.faults).toEqual([]);
});
