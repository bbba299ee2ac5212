import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { allCounted } from '../../statistics/all-counted.ts';
import { jobReports } from './job-reports.ts';

let now = new Date('2026-05-03T00:00:00Z');
const service = serviceFixture({ counts: true, sources: { now: () => now } });
const workspace = workspaceFixture(service);
const post = jobReports(service, workspace);

beforeAll(async () => {
  await report('A', { product: 'Diesel', vendor: 'Lab One' });
  await report('B', { product: 'Diesel', vendor: 'Lab Two' });
  await report('C', { product: 'Jet', vendor: 'Lab One' });
  await post('', { activity: 'load', status: 'pending' });
  await post('', {});
  const cancelled = { activity: 'discharge', status: 'cancelled', cargo: { product: { name: 'Jet' } } };
  await post('', cancelled);
  now = new Date('2026-07-01T00:00:00Z');
  await post('', { activity: 'load', status: 'pending' });
  await allCounted(service);
});

/** Reports for three discharges: the worked example of this file. */
const REPORTS = {
  // ends at 02T12:00, by its estimate of 02T12:00: on time. RelatedDocuments 03T00:00: 12 h later.
  A: { end: '2026-05-02T12:00:00Z', etc: '2026-05-02T12:00:00Z', loaded: [1000, 'm3'], outturn: [997, 'm3'], off: 1 },
  // ends at 02T20:00, estimated 02T18:00: late. RelatedDocuments 4 h later.
  B: { end: '2026-05-02T20:00:00Z', etc: '2026-05-02T18:00:00Z', loaded: [1000, 'bbl'], outturn: [158, 'm3'], off: 0 },
  // no time log: ends with its quantities at 02T10:00, without an estimate: unknown. RelatedDocuments 14 h later.
  C: { end: undefined, etc: undefined, loaded: [10, 'MT'], outturn: [10, 'm3'], off: 2 },
} as const;

async function report(name: keyof typeof REPORTS, { product, vendor }: { product: string; vendor: string }) {
  const { end, etc, loaded, outturn, off } = REPORTS[name];
  const job = await post('', {
    ...{ refNumber: name, activity: 'discharge', status: 'complete', location: { name: 'Rotterdam' } },
    ...{ cargo: { product: { name: product } }, vendor: { name: vendor }, ...(etc && { etc }) },
  });
  const figure = ([value, uom]: readonly [number, string]) => [{ name: ' gsv', value, uom: { name: uom } }];
  if (end) await post(`/${job}/timelog`, { category: 'event', start: '2026-05-01T06:00:00Z', end });
  const date = '2026-05-02T10:00:00Z';
  await post(`/${job}/quantity`, { direction: 'destination', date, measurements: figure(outturn) });
  await post(`/${job}/load-port-information`, {
    ...{ portOfLoading: { name: name === 'C' ? 'Fujairah' : 'Ras Tanura' } },
    measurements: figure(loaded),
  });
  for (let i = 0; i < 4; i++) {
    const flags = i === 3 ? {} : i === 2 ? { isPassed: i >= off } : { isOffSpec: i < off };
    await post(`/${job}/quality`, { test: { name: `Test ${i}` }, result: '1', ...flags });
  }
  await post(`/${job}/quality`, { test: { name: 'Test 9' }, isPerformed: false, isOffSpec: true });
}

const FIELDS = `
  from to
  jobs { status activity jobs }
  completion { jobs onTime late unknown onTimePercent reported meanReportingDelay longestReportingDelay reason }
  offSpecification {
    total { results judged offSpecification percent }
    byProduct { record { name } judged offSpecification percent }
    byVendor { record { name } judged offSpecification percent }
  }
  losses { measurement leftOut { jobs reason } routes {
    from { name } to { name } jobs uom { name } loaded outturn loss percent leftOut { jobs reason }
  } }`;
const PERIOD = '(from: "2026-05-01", to: "2026-06-01T00:00:00Z")';

type Of = 'workspace' | 'viewer';
async function statistics(of: Of, fields = FIELDS, as: 'client' | 'vendor' | 'stranger' = 'client', period = PERIOD) {
  const selected = `{ statistics${period} { ${fields} } }`;
  const query = of === 'viewer' ? `{ viewer ${selected} }` : `query W($id: UUID!) { workspace(id: $id) ${selected} }`;
  const { body } = await service.graphql(query, of === 'viewer' ? {} : { id: workspace.id }, as);
  return { ...body, found: body.data?.[of]?.statistics };
}

describe.each<[Of]>([['workspace'], ['viewer']])('the statistics of the %s', (of) => {
  it('count jobs by status and activity', async () => {
    const { found } = await statistics(of);
    expect([found.from, found.to]).toEqual(['2026-05-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z']);
    expect(found.jobs).toEqual([
      { status: 'complete', activity: 'discharge', jobs: 3 },
      { status: 'cancelled', activity: 'discharge', jobs: 1 },
      { status: null, activity: null, jobs: 1 },
      { status: 'pending', activity: 'load', jobs: 1 },
    ]);
  });

  it('report how complete jobs ended, and how long their results took', async () => {
    // A on time, B late, C unknown: 1 of 2 is 50 %. Delays 12 h, 4 h and 14 h: mean 10 h, longest 14 h.
    const { found } = await statistics(of);
    expect(found.completion).toEqual({
      ...{ jobs: 3, onTime: 1, late: 1, unknown: 1, onTimePercent: 50 },
      ...{ reported: 3, meanReportingDelay: 10, longestReportingDelay: 14, reason: null },
    });
  });

  it('report the off-specification rate', async () => {
    // each job has 3 judged of 4 results (one more was not performed): A 1 off, B 0, C 2
    // Diesel 1 / 6 = 16.6667 %, Jet 2 / 3 = 66.6667 %; Lab One 3 / 6 = 50 %, Lab Two 0 / 3 = 0 %
    const { found } = await statistics(of);
    expect(found.offSpecification).toEqual({
      total: { results: 12, judged: 9, offSpecification: 3, percent: 33.3333 },
      byProduct: [
        { record: { name: 'Diesel' }, judged: 6, offSpecification: 1, percent: 16.6667 },
        { record: { name: 'Jet' }, judged: 3, offSpecification: 2, percent: 66.6667 },
      ],
      byVendor: [
        { record: { name: 'Lab One' }, judged: 6, offSpecification: 3, percent: 50 },
        { record: { name: 'Lab Two' }, judged: 3, offSpecification: 0, percent: 0 },
      ],
    });
  });

  it('report the loss of each route', async () => {
    // loaded 1000 m3 + 1000 bbl (158.987294928 m3) = 1158.987294928; outturn 997 + 158 = 1155
    // loss 3.987294928, which is 0.344032… % of what was loaded. C was loaded in tonnes and measured in m3.
    const { found } = await statistics(of);
    const { measurement, routes, leftOut } = found.losses;
    expect([measurement, leftOut]).toEqual(['GSV', []]);
    const [main, other] = routes;
    expect(main).toEqual({
      ...{ from: { name: 'Ras Tanura' }, to: { name: 'Rotterdam' }, jobs: 2, uom: { name: 'm3' }, leftOut: [] },
      ...{ loaded: 1158.987295, outturn: 1155, loss: 3.987295, percent: 0.344 },
    });
    expect(other).toMatchObject({
      ...{ from: { name: 'Fujairah' }, jobs: 0, loss: null, percent: null },
      leftOut: [{ jobs: 1, reason: expect.stringContaining('a density is needed') }],
    });
    const { found: none } = await statistics(
      of,
      'losses(measurement: "$TCV") { routes { jobs } leftOut { jobs reason } }',
    );
    expect(none.losses).toEqual({
      routes: [],
      leftOut: [{ jobs: 3, reason: 'The load port has not exactly one such figure.' }],
    });
  });
});

describe('the period of statistics', () => {
  const counts = 'from to jobs { jobs } completion { onTimePercent reason } offSpecification { total { percent } }';

  it('includes its start but not its end, and defaults to the last year', async () => {
    const jobs = async (period: string) =>
      (await statistics('workspace', 'jobs { jobs }', 'client', period)).found.jobs.reduce(
        (sum: number, one: { jobs: number }) => sum + one.jobs,
        0,
      );
    expect(await jobs('(from: "2026-05-03", to: "2026-07-01")')).toBe(6);
    expect(await jobs('(from: "2026-05-03T00:00:00.001Z", to: "2026-07-02")')).toBe(1);
    now = new Date('2026-08-01T00:00:00Z');
    expect((await statistics('workspace', counts, 'client', '')).found).toMatchObject({
      from: '2025-08-01T00:00:00.000Z',
      to: '2026-08-01T00:00:00.000Z',
    });
    expect(await jobs('')).toBe(7);
  });

  it.each([
    ['2025-01-01', '2024-01-01T00:00:00.000Z'],
    ['2024-02-29T12:30:00Z', '2023-02-28T12:30:00.000Z'],
    ['2025-02-28T23:59:59.999Z', '2024-02-28T23:59:59.999Z'],
  ])('until %s begins on the same day a year before', async (to, from) => {
    const { found } = await statistics('workspace', 'from', 'client', `(to: "${to}")`);
    expect(found).toEqual({ from });
  });

  it('without jobs has no figures, and says why', async () => {
    const { found } = await statistics('viewer', counts, 'client', '(from: "1999-01-01", to: "2000-01-01")');
    expect(found).toMatchObject({
      ...{ jobs: [], offSpecification: { total: { percent: null } } },
      completion: { onTimePercent: null, reason: 'No job of the period is complete.' },
    });
  });

  it('is refused if unreadable or ending before it starts', async () => {
    const refusal = async (period: string) =>
      (await statistics('workspace', counts, 'client', period)).errors[0].extensions;
    expect(await refusal('(from: "May", to: "June")')).toMatchObject({
      code: 'INVALID_INPUT',
      errors: [{ parameter: 'from' }, { parameter: 'to' }],
    });
    expect(await refusal('(from: "2026-05-02", to: "2026-05-02")')).toMatchObject({ errors: [{ parameter: 'to' }] });
    const { errors } = await statistics('workspace', 'losses(measurement: " ") { measurement }');
    expect(errors[0].extensions).toMatchObject({ errors: [{ parameter: 'measurement' }] });
  });
});

describe('the statistics of other tenants', () => {
  it('are hidden from a stranger, whose own are empty', async () => {
    const { found } = await statistics(
      'viewer',
      'jobs { jobs } losses { routes { jobs } leftOut { jobs } }',
      'stranger',
    );
    expect(found).toEqual({ jobs: [], losses: { routes: [], leftOut: [] } });
    const { errors } = await statistics('workspace', 'jobs { jobs }', 'stranger');
    expect(errors[0].extensions.code).toBe('FORBIDDEN');
  });

  it('are the same for both parties', async () => {
    const [client, vendor] = [await statistics('viewer'), await statistics('viewer', FIELDS, 'vendor')];
    expect(vendor.found).toEqual(client.found);
  });
});
