// May take 20 s: a browser over the seeded demo.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { PANELS } from '../../../src/pages/dashboard.ts';
import { makeWorkspace, serviceFixture } from '../../service.ts';
import { type Browser, openBrowser } from '../browser.ts';
import { seedPanels } from './open-dashboard.ts';

/** However busy the machine is. */
const SOON = { timeout: 60_000 };
const WORKSPACE = '0190a000-0000-7000-8000-0000000b0001';

interface Result {
  readonly job: { readonly refNumber: string; readonly cargo: { readonly product: { readonly id: string } } };
  readonly retest: { readonly outcome: string } | null;
}

const service = serviceFixture({ records: true, counts: true, audits: true });
beforeAll(() => seedPanels(service));

/** The workspace's results that are off specification and those flagged for a retest, of matching jobs. */
async function resultsOf(job: object): Promise<{ off: Result[]; flagged: Result[] }> {
  const fields = 'nodes { job { refNumber cargo { product { id } } } retest { outcome } }';
  const query = `query Q($w: UUID!, $where: QualityResultWhere!) { workspace(id: $w) {
    off: offSpecification(first: 100, where: $where) { ${fields} } flagged: retestsNeeded(first: 100, where: $where) { ${fields} } } }`;
  const { body } = await service.graphql(query, { w: WORKSPACE, where: { job } });
  return { off: body.data.workspace.off.nodes, flagged: body.data.workspace.flagged.nodes };
}

async function openDashboard(query: string, workspace = WORKSPACE): Promise<Browser> {
  const browser = await openBrowser(service.url);
  await browser.page.setViewportSize({ width: 1400, height: 6000 });
  await browser.page.goto(`${service.url}/dashboard?workspace=${workspace}${query}`);
  return browser;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
const refOf = ({ job }: Result): string => job.refNumber;

describe('the quality panel', () => {
  const eta = { gte: '2026-05-01T00:00:00Z', lt: '2026-06-01T00:00:00Z' };

  test.each([
    { name: 'without filters', query: '', job: {} },
    { name: 'of a period', query: '&from=2026-05-01&to=2026-05-31', job: { eta } },
    {
      name: 'of a period without any',
      query: '&from=2026-04-01&to=2026-04-30',
      job: { eta: { gte: '2026-04-01T00:00:00Z', lt: '2026-05-01T00:00:00Z' } },
    },
  ])('lists what is off specification, and counts only retests that did not pass: $name', async ({ query, job }) => {
    const { off, flagged } = await resultsOf(job);
    const needed = flagged.filter(({ retest }) => retest?.outcome !== 'PASSED');
    await using browser = await openDashboard(query);
    const { page } = browser;
    const panel = page.locator('#quality[aria-busy=false]');
    await panel.waitFor();
    expect(await panel.locator('h2').innerText()).toBe(
      `${counted(off.length, 'result')} off specification, ${counted(needed.length, 'retest')} needed`,
    );
    const cells = (column: number) =>
      panel.locator(`#table-off-specification tbody td:nth-child(${column})`).allTextContents();
    expect(await cells(1)).toEqual([...off, ...needed].map(refOf));
    expect(await cells(3)).toEqual([...off.map(() => 'Off specification'), ...needed.map(() => 'Retest needed')]);
    expect(browser.faults).toEqual([]);
  });

  test('has its lists and its shares by product, and says which jobs the shares cover', async () => {
    const all = await resultsOf({});
    const product = all.off[0]?.job.cargo.product.id ?? '';
    const { off } = await resultsOf({ cargo: { product: { id: { eq: product } } } });
    expect(off.length).toBeLessThan(all.off.length);
    const statistics = `{ workspace(id: "${WORKSPACE}") { statistics(from: "2026-01-01", to: "2026-06-01", product: "${product}") {
      offSpecification { total { judged offSpecification } byProduct { record { name } } } } } }`;
    const { total, byProduct } = (await service.graphql(statistics)).body.data.workspace.statistics.offSpecification;
    await using browser = await openDashboard(`&from=2026-01-01&to=2026-05-31&product=${product}`);
    const panel = browser.page.locator('#quality[aria-busy=false]');
    await panel.waitFor();
    expect(await panel.locator('h2').innerText()).toMatch(new RegExp(`^${counted(off.length, 'result')} off `));
    expect(await panel.locator('#table-off-specification-by-product tbody td:nth-child(1)').allTextContents()).toEqual([
      byProduct[0].record.name,
    ]);
    expect(await panel.locator('.note').innerText()).toContain(
      `Of jobs created from 2026-01-01 to 2026-05-31, ${counted(total.offSpecification, 'result')} of ${total.judged} that were judged`,
    );
    expect(await panel.locator('.note').innerText()).toContain('a synonym of what is chosen');
    expect(await panel.locator('figcaption').first().innerText()).toContain('of jobs created from 2026-01-01');
  });
});

test('the reconciliation panel shows losses by route for its filters, and says which jobs they cover', async () => {
  const products = `{ catalogRecords(workspace: "${WORKSPACE}", catalog: "products", first: 50) { nodes { id } } }`;
  const { nodes } = (await service.graphql(products)).body.data.catalogRecords;
  const routesOf = async (filter: string): Promise<{ from: { name: string }; jobs: number }[]> => {
    const query = `{ workspace(id: "${WORKSPACE}") { statistics(from: "2026-01-01", to: "2026-06-01"${filter}) { losses { routes { from { name } jobs percent } } } } }`;
    const { body } = await service.graphql(query);
    return body.data.workspace.statistics.losses.routes.filter(({ percent }: { percent: unknown }) => percent !== null);
  };
  const all = await routesOf('');
  const candidates = await Promise.all(
    nodes.map(async ({ id }: { id: string }) => ({ id, routes: await routesOf(`, product: "${id}"`) })),
  );
  const { id, routes } = candidates.find((one) => one.routes.length > 0 && one.routes.length < all.length) ?? {};
  await using browser = await openDashboard(`&from=2026-01-01&to=2026-05-31&product=${id}`);
  const { page } = browser;
  const panel = page.locator('#reconciliation[aria-busy=false]');
  await panel.waitFor();
  const cells = (column: number) =>
    panel.locator(`#table-losses-by-route tbody td:nth-child(${column})`).allTextContents();
  expect((await cells(1)).toSorted()).toEqual(routes.map(({ from }: (typeof all)[number]) => from.name).toSorted());
  expect((await cells(3)).map(Number).reduce((sum, jobs) => sum + jobs, 0)).toBe(
    routes.reduce((sum: number, { jobs }: (typeof all)[number]) => sum + jobs, 0),
  );
  const created = 'of jobs created from 2026-01-01 to 2026-05-31';
  expect(await panel.locator('.note').innerText()).toContain(created);
  expect(await panel.locator('figcaption').last().innerText()).toContain(created);
  expect(await panel.locator('#table-losses-by-route caption').textContent()).toContain(created);
  expect(browser.faults).toEqual([]);
});

test('the vessel panel shows the unit of its figures, which may differ by side', async () => {
  await using browser = await openDashboard('');
  const { page } = browser;
  await page.locator('#vessel[aria-busy=false] .chart').waitFor();
  const href = (await page.locator('#vessel .more a').getAttribute('href')) ?? '';
  const { vessel } = JSON.parse(new URL(href, service.url).searchParams.get('variables') ?? '');
  const query = `{ catalogRecord(workspace: "${WORKSPACE}", id: "${vessel}") { experienceFactor {
    load { factor uom { name } used { ratio } leftOut { voyage { ratio } } } discharge { factor uom { name } used { ratio } leftOut { voyage { ratio } } } } } }`;
  const { load, discharge } = (await service.graphql(query)).body.data.catalogRecord.experienceFactor;
  expect(load.factor).not.toBeNull();
  expect(await page.locator('#vessel h2').innerText()).toContain(`experience factor ${load.factor} of loading`);
  const rows = page.locator('#table-experience-factor tbody tr');
  const units = await rows.locator('td:nth-child(6)').allTextContents();
  const ratios = await rows.locator('td:nth-child(7)').allTextContents();
  const expected = [load, discharge].flatMap(({ uom, used, leftOut }) => [...used, ...leftOut].map(() => uom?.name));
  expect(units.length).toBe(expected.length);
  expect(units.filter((_, index) => ratios[index] !== '–')).toEqual(
    expected.filter((_, index) => ratios[index] !== '–'),
  );
});

test('the quality panel says that too many jobs match to list their results, and has everything else', async () => {
  const { id } = await makeWorkspace(service);
  const job = { refNumber: 'MANY', status: 'pending', eta: '2026-05-02T00:00:00Z' };
  for (const count of [10_000, 1]) {
    const body = { type: 'svc.inspection.job', body: Array.from({ length: count }, () => job) };
    const bulk = await service.ask('POST', `/v2/workspaces/${id}/documents/bulk`, { as: 'client', body });
    expect(bulk.status).toBe(201);
  }
  await using browser = await openDashboard('&from=2026-05-01', id);
  const panel = browser.page.locator('#quality[aria-busy=false]');
  await panel.waitFor();
  expect(await panel.locator('h2').innerText()).toBe('Too many jobs fit the filters to list their results');
  expect(await panel.locator('.note').innerText()).toContain('Choose a shorter period');
  expect(await panel.locator('[role=alert]').count()).toBe(0);
});

describe('an invalid period in the address', () => {
  test.each([
    ['from', 'abc'],
    ['to', 'abc'],
    ['to', '2026-13-45'],
    ['from', '2026-02-30'],
    ['to', '275760-09-13'],
  ])('is ignored with a message until a day is chosen: %s=%s', async (name, text) => {
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

describe('unusable filters', () => {
  const said = async (page: Page): Promise<string> =>
    (await page.locator('.filters [role=alert]').innerText()).replace(/[\u2068\u2069]/g, '');

  test('a period that ends before it starts is reported, and nothing is requested for it', async () => {
    await using browser = await openDashboard('&from=2026-06-01&to=2026-05-01');
    const { page } = browser;
    await page.locator('#vessel[aria-busy=false] .chart').first().waitFor();
    expect(await said(page)).toBe('The period ends, on 2026-05-01, before it begins. Choose other days.');
    for (const panel of PANELS.filter((name) => name !== 'vessel')) {
      expect(await page.locator(`#${panel} h2`).innerText()).toMatch(/: no period$/);
      expect(await page.locator(`#${panel} [role=alert], #${panel} .chart`).count()).toBe(0);
    }
    await page.locator('input[name=to]').fill('2026-06-30');
    await page.locator('#jobs[aria-busy=false] .chart').first().waitFor();
    expect(browser.faults).toEqual([]);
  });

  test.each(['vessel', 'product', 'port', 'job'])('a %s that is not an id is ignored and reported', async (name) => {
    await using browser = await openDashboard(`&${name}=xyz`);
    const { page } = browser;
    for (const panel of PANELS) await page.locator(`#${panel}[aria-busy=false] .chart`).first().waitFor();
    expect(await said(page)).toBe(`“${name}” is xyz, and is left out: it is not an id. Choose another one.`);
    expect(await page.locator('dialog.job, .panel [role=alert]').count()).toBe(0);
    expect(browser.faults).toEqual([]);
  });

  test.each(['0', '-5', 'abc', '1000'])('%s hours of laytime are reported as invalid', async (hours) => {
    await using browser = await openDashboard(`&laytime=${hours}`);
    const { page } = browser;
    await page.locator('#time[aria-busy=false] .chart').first().waitFor();
    expect(await said(page)).toBe(
      `“laytime” is ${hours}, and is left out: it has to be a number of hours from 1 to 999.`,
    );
    expect(await page.locator('#time h2').innerText()).toContain('more than 36 h of laytime');
    await page.locator('input[name=laytime]').fill('10');
    await page.locator('input[name=laytime]').press('Enter');
    await page.locator('.filters [role=alert]').waitFor({ state: 'detached' });
    expect(browser.faults).toEqual([]);
  });

  test('a key with letters no header allows is reported as invalid', async () => {
    await using browser = await openDashboard('');
    const { page } = browser;
    await page.locator('#key').fill('ключ');
    await page.locator('#key').press('Enter');
    const words = 'An API key has only ASCII letters, digits and punctuation, not “к”';
    await expect.poll(() => page.locator('#state').innerText(), SOON).toContain(words);
    await expect.poll(() => page.locator('.live').innerText(), SOON).toContain(words);
    expect(browser.faults).toEqual([]);
  });
});
