import { beforeAll, describe, expect, it } from 'vitest';
import { jobReports } from '../../behaviour/analyses/job-reports.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { allCounted } from '../../statistics/all-counted.ts';
import { onPaper, quantityIn, tableIn, written } from './page.ts';

let now = new Date('2026-05-02T00:00Z');
const service = serviceFixture({ counts: true, sources: { now: () => now } });
const workspace = workspaceFixture(service);
const post = jobReports(service, workspace);

const jobs = tableIn(
  'Statistics',
  ...(['job', 'etc', 'last event ends', 'last report', 'loaded', 'outturn'] as const),
  ...(['off specification', 'on specification', 'not judged'] as const),
);
const figures = tableIn('Statistics', 'figure', 'on paper', 'result');

async function report(row: (typeof jobs)[number]): Promise<void> {
  const job = await post('', {
    ...{ refNumber: row.job, activity: 'discharge', status: 'complete', location: { name: 'Rotterdam' } },
    ...(row.etc !== '' && { etc: row.etc }),
  });
  await post(`/${job}/timelog`, { category: 'event', start: '2026-05-01T06:00:00Z', end: row['last event ends'] });
  now = new Date(row['last report']);
  const measurements = (cell: string) => {
    const { value, unit } = quantityIn(cell);
    return [{ name: 'GSV', value, uom: { name: unit } }];
  };
  if (row.outturn !== '')
    await post(`/${job}/quantity`, { direction: 'destination', measurements: measurements(row.outturn) });
  if (row.loaded !== '') {
    const portOfLoading = { name: 'Ras Tanura' };
    await post(`/${job}/load-port-information`, { portOfLoading, measurements: measurements(row.loaded) });
  }
  const results = [
    ...Array(Number(row['off specification'])).fill({ isOffSpec: true }),
    ...Array(Number(row['on specification'])).fill({ isOffSpec: false }),
    ...Array(Number(row['not judged'])).fill({}),
  ];
  for (const verdict of results) await post(`/${job}/quality`, { test: { name: 'Sulphur' }, result: '1', ...verdict });
}

beforeAll(async () => {
  for (const row of jobs) await report(row);
  now = new Date('2026-06-01T00:00Z');
  await allCounted(service);
});

describe('the worked example of statistics in docs/calculations.md', () => {
  it("matches the service's counts", async () => {
    const { body } = await service.graphql(
      `query S($id: UUID!) { workspace(id: $id) { statistics(from: "2026-05-01") {
        completion {
          onTime late unknown onTimePercent meanReportingDelay medianReportingDelay longestReportingDelay
        }
        offSpecification { total { judged percent } }
        losses { routes { loaded outturn loss percent } leftOut { jobs } }
      } } }`,
      { id: workspace.id },
    );
    expect(body.errors).toBeUndefined();
    const found = (path: string): unknown =>
      path.split('.').reduce((inside: unknown, name) => Object(inside)[name], body.data.workspace.statistics);
    for (const { figure, result, 'on paper': paper } of figures) {
      const places = /percent|delay/i.test(figure) ? 4 : 6;
      expect([figure, found(figure), written(onPaper(paper, places))]).toEqual([figure, Number(result), result]);
    }
    const uncounted = Object.keys(body.data.workspace.statistics.completion).filter(
      (name) => !figures.some(({ figure }) => figure === `completion.${name}`),
    );
    expect(uncounted).toEqual([]);
  });
});
