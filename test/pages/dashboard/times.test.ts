// May take 15 s: a browser over jobs with times in every format.
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { makeWorkspace, serviceFixture } from '../../service.ts';
import { cells, openDashboard, titleOf } from './open-dashboard.ts';

const service = serviceFixture({ records: true, counts: true, audits: true });

/** Adds a job whose time log has these events, and returns its id. */
async function addJob(workspace: string, body: object, events: readonly object[]): Promise<string> {
  const add = async (path: string, entry: object): Promise<string> => {
    const { status, body: added } = await service.ask('POST', `/workspaces/${workspace}/jobs${path}`, {
      as: 'client',
      body: entry,
    });
    expect(status).toBe(201);
    return added.id;
  };
  const job = await add('', { refNumber: 'T-1', status: 'complete', ...body });
  for (const event of events) await add(`/${job}/timelog`, event);
  return job;
}

/** A workspace with one job, whose time log has these events. */
async function makeJob(body: object, events: readonly object[]): Promise<{ workspace: string; job: string }> {
  const { id: workspace } = await makeWorkspace(service);
  return { workspace, job: await addJob(workspace, body, events) };
}

/** What programs read of the times in a part of the page. */
const exactTimes = (part: Locator): Promise<string[]> =>
  part.locator('time').evaluateAll((times) => times.map((time) => time.getAttribute('datetime') ?? ''));

test('a leap second is the next second, in the charts of all jobs and of one', async () => {
  const { workspace, job } = await makeJob({ eta: '2026-06-30T23:59:60Z' }, [
    { category: 'delay', type: { name: 'Weather' }, start: '2026-06-30T23:59:60Z', end: '2026-07-01T05:00:00Z' },
    { category: 'event', type: { name: 'Loading' }, start: '2026-07-01T05:00:00Z', end: '2026-07-01T06:00:00.25Z' },
  ]);
  await using browser = await openDashboard(service, `workspace=${workspace}&job=${job}`);
  const { page } = browser;
  await page.locator('dialog.job #timeline[aria-busy=false] .chart svg').waitFor();
  expect(await titleOf(page, 'time')).toContain('Vessels stayed 6 h on average, 83.3 % of it delayed');
  expect(await page.locator('#timeline .chart').getAttribute('aria-label')).toContain(
    '\u2068Weather\u2069 07-01 00:00 to 07-01 05:00',
  );
  expect(await cells(page, 'time-log', 4)).toContain('5');
  expect(browser.faults).toEqual([]);
});

test("if no vessel's time at port is known, no share of it is shown as delayed", async () => {
  const { workspace } = await makeJob({}, [
    { category: 'event', eventType: { name: 'NOR' }, start: '2026-11-20T00:00:00Z' },
  ]);
  await using browser = await openDashboard(service, `workspace=${workspace}`);
  expect(await titleOf(browser.page, 'time')).toBe(
    'Vessels stayed 0 h on average; 0 of 0 calls used more than 36 h of laytime',
  );
  expect(browser.faults).toEqual([]);
});

test('calls that are not over are not in the average stay while others are', async () => {
  const loading = { category: 'delay', type: { name: 'Loading' } };
  const { workspace } = await makeJob({ status: 'active' }, [
    { ...loading, start: '2026-11-20T00:00:00Z', end: '2026-11-20T02:00:00Z' },
  ]);
  const title = (stay: string) =>
    `${stay} on average, 100 % of it delayed; 0 of 0 calls used more than 36 h of laytime`;
  {
    await using browser = await openDashboard(service, `workspace=${workspace}`);
    expect(await titleOf(browser.page, 'time')).toBe(title('Vessels have so far stayed 2 h'));
  }
  const path = `/workspaces/${workspace}/jobs`;
  const done = await service.ask('POST', path, { as: 'client', body: { refNumber: 'T-2', status: 'complete' } });
  const body = { ...loading, start: '2026-11-20T00:00:00Z', end: '2026-11-20T10:00:00Z' };
  expect((await service.ask('POST', `${path}/${done.body.id}/timelog`, { as: 'client', body })).status).toBe(201);
  await using browser = await openDashboard(service, `workspace=${workspace}`);
  const { page } = browser;
  expect(await titleOf(page, 'time')).toBe(title('Vessels stayed 10 h'));
  expect(await page.locator('#time .note').innerText()).toBe('1 call is not over, and not in the average.');
  expect(await page.locator('#time .chart').first().getAttribute('aria-label')).toContain('Mean 10 h; 12 h delayed');
  expect(browser.faults).toEqual([]);
});

test('times are shown in UTC as people read them, and are exact to programs, whatever offset they were sent with', async () => {
  const sent = { eta: '2026-10-31T22:00:00-05:00', etc: '2026-11-02' };
  const { workspace, job } = await makeJob(sent, [
    { category: 'event', type: { name: 'NOR' }, start: '2026-10-31T22:30:00-05:00', end: '2026-11-01T05:00:00+01:00' },
    { category: 'event', type: { name: 'Loading' }, start: '2026-11-01T07:00:09.5Z', end: '2026-11-01T08:00:00Z' },
  ]);
  await using browser = await openDashboard(service, `workspace=${workspace}&job=${job}`);
  const { page } = browser;
  await page.locator('dialog.job #timeline[aria-busy=false] .chart svg').waitFor();
  await page.locator('dialog.job #details[aria-busy=false] .note').waitFor();
  const note = page.locator('#details .note');
  expect(await note.innerText()).toContain(' · ETA 2026-11-01 03:00 UTC · ETC 2026-11-02');
  expect(await exactTimes(note)).toEqual(['2026-11-01T03:00:00.000Z', '2026-11-02']);
  const [nor, gap, loading] = ['2026-11-01 03:30 UTC', '2026-11-01 04:00 UTC', '2026-11-01 07:00:09 UTC'];
  expect(await cells(page, 'time-log', 2)).toEqual([nor, gap, loading]);
  expect(await cells(page, 'time-log', 3)).toEqual([gap, loading, '2026-11-01 08:00 UTC']);
  expect(await exactTimes(page.locator('#table-time-log td:nth-child(2)'))).toEqual([
    '2026-11-01T03:30:00.000Z',
    '2026-11-01T04:00:00.000Z',
    '2026-11-01T07:00:09.500Z',
  ]);
  expect(await cells(page, 'versions', 4)).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)? UTC$/),
  ]);
  expect(await cells(page, 'time-at-port', 4)).toEqual([nor]);
  const csv = await page.locator('a[download="time-log.csv"]').getAttribute('href');
  expect(decodeURIComponent(csv ?? '')).toContain('NOR,2026-11-01T03:30:00.000Z,2026-11-01T04:00:00.000Z,0.5,');
  expect(browser.faults).toEqual([]);
});

test('a running delay is not counted, and both charts say so', async () => {
  const { workspace, job } = await makeJob({ status: 'active' }, [
    { category: 'event', type: { name: 'NOR' }, start: '2026-11-01T00:00:00Z', end: '2026-11-01T00:30:00Z' },
    { category: 'delay', type: { name: 'Waiting for berth' }, start: '2026-11-01T01:00:00Z' },
    { category: 'event', type: { name: 'Sampling' }, start: '2026-11-02T00:00:00Z', end: '2026-11-02T01:00:00Z' },
  ]);
  await using browser = await openDashboard(service, `workspace=${workspace}&job=${job}`);
  const { page } = browser;
  const reason = 'One delay has no end yet, and no length is counted for it.';
  expect(await titleOf(page, 'time')).toContain('25 h on average, 0 % of it delayed as far as it is counted;');
  expect(await page.locator('#time .note').innerText()).toBe(`1 call is not counted in full: \u2068${reason}\u2069`);
  expect(await cells(page, 'time-at-port', 12)).toEqual([reason]);
  await page.locator('dialog.job #timeline[aria-busy=false] .chart svg').waitFor();
  expect(await titleOf(page, 'timeline')).toContain('25 h at port, 0 h of it delayed as far as it is counted');
  expect(await page.locator('#timeline .note').innerText()).toContain(reason);
  expect(browser.faults).toEqual([]);
});

test('events of one type and start have their own notes', async () => {
  const start = '2026-11-01T00:00:00Z';
  const { workspace, job } = await makeJob({}, [
    { category: 'event', type: { name: 'Sampling' }, start, end: '2026-11-01T01:00:00Z', notes: 'tank 1' },
    { category: 'event', type: { name: 'Sampling' }, start, end: '2026-11-01T03:00:00Z', notes: 'tank 2' },
  ]);
  await using browser = await openDashboard(service, `workspace=${workspace}&job=${job}`);
  const { page } = browser;
  await page.locator('dialog.job #timeline[aria-busy=false] .chart svg').waitFor();
  expect((await cells(page, 'time-log', 5)).toSorted()).toEqual(['tank 1', 'tank 2']);
  expect(browser.faults).toEqual([]);
});

test('a name of many lines is truncated in charts, and complete in the table', async () => {
  const name = `Waiting for ${'a very long reason '.repeat(500)}`.trim();
  const span = { start: '2026-11-01T00:00:00Z', end: '2026-11-01T01:00:00Z' };
  const { workspace, job } = await makeJob({}, [{ category: 'delay', type: { name }, ...span }]);
  await using browser = await openDashboard(service, `workspace=${workspace}&job=${job}`);
  const { page } = browser;
  await page.locator('dialog.job #timeline[aria-busy=false] .chart svg').waitFor();
  for (const panel of ['time', 'timeline'])
    expect((await page.locator(`#${panel}`).boundingBox())?.height).toBeLessThan(1_500);
  expect(await page.locator('#timeline .chart svg').textContent()).toContain('…');
  expect(await cells(page, 'time-log', 1)).toEqual([name]);
  expect(browser.faults).toEqual([]);
});

test('long reference numbers leave room for the bars of their calls, and do not cover each other', async () => {
  const { id: workspace } = await makeWorkspace(service);
  for (const last of ['A', 'B']) {
    const events = [
      { type: { name: 'NOR' }, start: '2026-11-01T00:00:00Z' },
      { type: { name: 'HOFF' }, start: '2026-11-02T00:00:00Z' },
    ];
    await addJob(workspace, { refNumber: `${'NC/2026/LOADING/'.repeat(12)}${last}` }, events);
  }
  await using browser = await openDashboard(service, `workspace=${workspace}`);
  const { page } = browser;
  expect(await titleOf(page, 'time')).toContain('0 of 2 calls used more than 36 h of laytime');
  const [hours, laytime] = await page.locator('#time .chart svg').all();
  const tops = await hours?.locator('text', { hasText: 'NC/2026' }).evaluateAll((lines) => {
    const places = lines.map((line) => line.getBoundingClientRect());
    return places.map(({ top }) => Math.round(top)).toSorted((a, b) => a - b);
  });
  expect(tops?.length).toBeGreaterThan(4);
  for (const [index, top] of (tops ?? []).slice(1).entries()) expect(top - (tops?.[index] ?? 0)).toBeGreaterThan(10);
  const heights = await laytime
    ?.locator('path[fill="#3f8f5b"]')
    .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().height));
  expect(heights?.length).toBe(2);
  for (const height of heights ?? []) expect(height).toBeGreaterThan(40);
  expect(browser.faults).toEqual([]);
});
