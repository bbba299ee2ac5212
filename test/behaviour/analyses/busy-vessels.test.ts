import type { Document } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { plansBy } from '../../store/plans/plans.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const m3 = { name: 'm3' };

const bulk = async (type: string, bodies: readonly object[]): Promise<string[]> => {
  const path = `/v2/workspaces/${workspace.id}/documents/bulk`;
  const { status, body, text } = await service.ask('POST', path, {
    as: 'vendor',
    body: { type: `svc.inspection.${type}`, body: bodies },
  });
  expect(status, text).toBe(201);
  return body.map(({ id }: { id: string }) => id);
};
const many = (count: number, body: object): Promise<string[]> =>
  bulk(
    'job',
    Array.from({ length: count }, () => body),
  );
const tcv = (value: number) => [{ code: 'TCV', value, uom: m3 }];

/** Complete voyages of a vessel, each with its figures on board and ashore. */
async function voyages(body: { readonly activity: string; readonly [member: string]: unknown }, figures: number[][]) {
  const jobs = await many(figures.length, { status: 'complete', ...body });
  const [aboard, ashore] = body.activity === 'load' ? ['destination', 'source'] : ['source', 'destination'];
  const reports = figures.flatMap(([vessel = 0, shore = 0], at) => [
    { parent: jobs[at], direction: aboard, measurements: tcv(vessel) },
    { parent: jobs[at], direction: ashore, measurements: tcv(shore) },
  ]);
  await bulk('quantityResult', reports);
  return jobs;
}

async function asked(query: string, variables: object) {
  const { body } = await service.graphql(query, variables);
  expect(body.errors).toBeUndefined();
  return body.data;
}

const isOfTrips = ({ command }: Document): boolean =>
  JSON.stringify(command.pipeline ?? []).includes('body.tripNumber');
const isOfVoyages = ({ command }: Document): boolean => JSON.stringify(command.pipeline ?? []).includes('body.status');

describe('the voyage analysis', () => {
  it('finds all jobs of the trip, however many newer ones the vessel has, and however the trip is written', async () => {
    const transports = [{ name: 'MT Fulmar' }];
    const [loading] = await voyages({ activity: 'load', tripNumber: ' old 1', transports }, [[1001, 1000]]);
    const [discharge] = await voyages({ activity: 'discharge', tripNumber: 'OLD 1', transports }, [[1000, 999]]);
    await bulk('loadPortInformation', [{ parent: discharge, measurements: tcv(1020) }]);
    await voyages({ activity: 'load', tripNumber: 'OLD 11', transports }, Array(5).fill([1002, 1000]));
    await many(199, { activity: 'sample', transports });
    const query = `query V($loading: UUID!, $discharge: UUID!) { loading: job(id: $loading) { ...v } discharge: job(id: $discharge) { ...v } }
      fragment v on Job { voyageAnalysis(loadFactor: 1, dischargeFactor: 1) { loadings { id } discharges { id } shoreToShore { given received } reason } }`;
    const found = await asked(query, { loading, discharge });
    const plans = await plansBy(service, () => service.graphql(query, { loading, discharge }));
    const looks = plans.filter(isOfTrips);
    expect(looks).toHaveLength(1);
    for (const { docsExamined, planSummary } of looks) {
      expect(docsExamined, planSummary).toBeLessThan(8);
    }
    expect(found.discharge).toEqual(found.loading);
    expect(found.discharge.voyageAnalysis).toEqual({
      ...{ loadings: [{ id: loading }], discharges: [{ id: discharge }], reason: null },
      shoreToShore: { given: 1000, received: 999 },
    });
  });
});

describe('the experience factor of a vessel', () => {
  const QUERY = `query F($workspace: UUID!, $vessel: UUID!) { catalogRecord(workspace: $workspace, id: $vessel) {
    experienceFactor { load { factor used { ratio } leftOut { code } reason } otherJobs { reason } reason } } }`;
  const vesselOf = async (job: string | undefined): Promise<string> =>
    (await asked('query J($job: UUID!) { job(id: $job) { transports { id } } }', { job })).job.transports[0].id;
  const factorOf = async (job: string | undefined) => {
    const vessel = await vesselOf(job);
    return (await asked(QUERY, { workspace: workspace.id, vessel })).catalogRecord.experienceFactor;
  };

  it('uses the newest eligible voyages, however many newer jobs are not voyages or under way', async () => {
    const transports = [{ name: 'MT Gannet' }];
    const [first] = await voyages({ activity: 'load', transports }, Array(7).fill([1002, 1000]));
    await many(230, { activity: 'sample', status: 'complete', transports });
    expect(await factorOf(first)).toMatchObject({
      load: { factor: 1.002, used: { length: 7 }, leftOut: [] },
      reason: null,
    });
    await many(230, { activity: 'load', status: 'pending', transports });
    const { load, reason } = await factorOf(first);
    expect(load).toMatchObject({ factor: 1.002, used: { length: 7 }, leftOut: { length: 200 }, reason: null });
    expect(reason).toBe('Only the newest 200 loadings that are pending, active or cancelled were looked at.');
    const variables = { workspace: workspace.id, vessel: await vesselOf(first) };
    const plans = (await plansBy(service, () => service.graphql(QUERY, variables))).filter(isOfVoyages);
    expect(plans).toHaveLength(1);
    for (const { docsExamined, nreturned, hasSortStage } of plans) {
      expect([docsExamined - nreturned <= 1, hasSortStage]).toEqual([true, undefined]);
    }
  });

  it('counts voyages with another status text, which the Data API accepts', async () => {
    const transports = [{ name: 'MT Razorbill' }];
    const jobs = await voyages({ activity: 'load', transports }, Array(5).fill([1003, 1000]));
    const documents = service.stores.db.collection<{ _id: string }>('documents');
    await documents.updateMany({ _id: { $in: jobs } }, { $set: { 'body.status': 'Completed' } });
    expect(await factorOf(jobs[0])).toMatchObject({ load: { factor: 1.003, used: { length: 5 } }, reason: null });
  });

  it('says so when there are more voyages than it reads, and too few of those have a ratio', async () => {
    const transports = [{ name: 'MT Merganser' }];
    const [first] = await voyages({ activity: 'load', transports }, Array(7).fill([1002, 1000]));
    await many(201, { activity: 'load', status: 'complete', transports });
    const { load, reason } = await factorOf(first);
    expect(load).toMatchObject({ factor: null, leftOut: { length: 200 } });
    expect(reason).toBe('Only the newest 200 loadings were looked at.');
    await voyages({ activity: 'load', transports }, Array(20).fill([1001, 1000]));
    expect(await factorOf(first)).toMatchObject({ load: { factor: 1.001, used: { length: 20 } }, reason: null });
  });
});
