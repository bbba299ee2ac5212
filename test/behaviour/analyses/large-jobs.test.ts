import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const make = (path: string, type: string, body: unknown) =>
  service.ask('POST', `/v2/workspaces/${workspace.id}/documents${path}`, { as: 'vendor', body: { type, body } });

/** A job with as many reports of a type as are read for calculations. */
async function jobWith(type: string, report: (at: number) => object): Promise<string> {
  const parent = (await make('', 'svc.inspection.job', {})).body.id;
  const reports = Array.from({ length: 1_000 }, (_, at) => ({ parent, ...report(at) }));
  expect((await make('/bulk', type, reports)).status).toBe(201);
  return parent;
}

/** The answer to a query for a job, and the processor time that it takes in seconds. */
async function timed(query: string, job: string) {
  const before = process.cpuUsage();
  const { body } = await service.graphql(query, { job });
  const seconds = process.cpuUsage(before).user / 1e6;
  expect(body.errors).toBeUndefined();
  return { data: body.data, seconds };
}

const aliased = (count: number, field: (alias: string, at: number) => string): string =>
  Array.from({ length: count }, (_, at) => field(`a${at}`, at)).join(' ');

describe('a job with a thousand reports', () => {
  it('has its retests found together', async () => {
    const result = {
      ...{ status: 'confirmed', setNumber: 1, test: { name: 'Sulphur' }, method: { name: 'D4294' } },
      ...{ uom: { name: 'mg/kg' }, sample: { location: 'SHIP' }, result: '12', isRetestNeeded: true },
    };
    const job = await jobWith('svc.inspection.qualityResult', (at) => ({
      ...result,
      date: new Date(at * 3_600_000).toISOString(),
    }));
    const page = 'qualityResults(where: { parentId: { eq: $job } }, first: 1000) { nodes { retest { outcome } } }';
    const query = `query R($job: UUID!) { ${aliased(9, (alias) => `${alias}: ${page}`)} }`;
    const { data, seconds } = await timed(query, job);
    const pages = Object.values(data) as { nodes: { retest: { outcome: string } }[] }[];
    for (const { nodes } of pages) {
      expect(nodes.filter(({ retest }) => retest.outcome === 'PENDING')).toHaveLength(1);
    }
    expect(seconds).toBeLessThan(4);
  });
});

const SUMMARY = `query Q($job: UUID!) {
  job(id: $job) { quantityReconciliation { reason } voyageAnalysis(measurement: "GSV") { shoreToShore { reason } } }
}`;

describe('a job with very many measurements of load ports', () => {
  it('counts the newest reports with a hundred thousand of them', async () => {
    const parent = (await make('', 'svc.inspection.job', { activity: 'discharge' })).body.id;
    const measured = (names: readonly string[]) => names.map((name) => ({ name, value: 1 }));
    const report = (type: string, names: readonly string[], more: object = {}) =>
      make('', `svc.inspection.${type}`, { parent, measurements: measured(names), ...more });
    const many = Array.from({ length: 99_999 }, (_, at) => `n${at}`);
    await report('loadPortInformation', ['GSV', 'NSV']);
    await report('quantityResult', ['GSV'], { direction: 'source' });
    await report('loadPortInformation', ['GSV']);
    const query =
      'query Q($job: UUID!) { job(id: $job) { quantityReconciliation { reason transit { name reason } } } }';
    const missing = 'Missing: quantity result of the destination.';
    const before = (await timed(query, parent)).data.job.quantityReconciliation;
    expect(before).toMatchObject({ reason: missing, transit: [{ name: 'GSV' }, { name: 'NSV' }] });
    const { id: _id } = (await report('loadPortInformation', ['GSV'])).body;
    const lists = service.stores.db.collection<{ _id: string }>('documents'); // longer than a list that is sent
    await lists.updateOne({ _id }, { $set: { 'body.measurements': measured([...many.slice(1), 'GSV']) } });
    const after = (await timed(SUMMARY, parent)).data.job;
    const note = 'Only the newest 2 reports are counted.';
    expect(after.quantityReconciliation.reason).toBe(`${missing} ${note}`);
    expect(after.voyageAnalysis.shoreToShore.reason).toContain(note);
  });
});
