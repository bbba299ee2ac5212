import { v7 as newId } from 'uuid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import type { Stored } from '../../src/model/entity/entity.ts';
import type { StoredFact } from '../../src/store/statistics/job-fact.ts';
import { startProjectingStatistics } from '../../src/store/statistics/statistics-projector.ts';
import { verify } from '../../src/verification/verify.ts';
import { commandsDuring } from '../profile.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const log = { info: () => undefined, warn: () => undefined };
let stop: () => Promise<void>;
const start = () => {
  stop = startProjectingStatistics(service.stores.db, log);
};

beforeEach(start);
afterEach(() => stop());

const documents = () => service.stores.db.collection<Stored>('documents');
const leases = () => service.stores.db.collection<{ _id: string }>('leases');
const passed = async () => {
  const { freshness } = service.stores.statistics;
  while ((await freshness.asOf()) === undefined); // it is built for the first time
  await freshness.passed();
};

async function post(path: string, body: object): Promise<string> {
  const made = await service.ask('POST', `/workspaces/${workspace.id}/jobs${path}`, { as: 'vendor', body });
  expect(made.status, made.text).toBe(201);
  return made.body.id;
}

const makeJob = () => post('', { status: 'active', activity: 'load' });

/** The facets of what a job adds, once everything is counted; and nothing is counted wrongly. */
async function facetsOf(id: string): Promise<string[] | undefined> {
  await passed();
  const { client, databaseName } = service.stores.db;
  const { findings } = await verify({ client, db: client.db(databaseName), againMs: 0 });
  expect(findings).toEqual([]);
  const fact = await service.stores.db.collection<StoredFact>('job_facts').findOne({ _id: id });
  return fact?.cells.map(({ facet }) => facet);
}

const asMade = ['state'];
const withResult = ['state', 'product', 'vendor'];
const result = { test: { name: 'Sulphur' }, result: '1', isOffSpec: true };

it('a job that was made is counted without being read again', async () => {
  await makeJob();
  await passed();
  let id = '';
  const entries = await commandsDuring(service, async () => {
    id = await makeJob();
    await passed();
  });
  const counting = entries.filter(({ command }) => command.autocommit === false);
  const of = (name: string) => counting.filter(({ ns }) => ns.endsWith(`.${name}`));
  expect(of('job_facts').map(({ op }) => op)).toEqual(['insert']);
  const found = of('documents').map(({ planSummary, docsExamined }) => [planSummary, docsExamined]);
  expect(found).toEqual([[expect.stringMatching(/^IXSCAN \{ workspace: 1, parent_id: 1/), 0]]);
  expect(await facetsOf(id)).toEqual(asMade);
});

it('a job that is made again after a result was put below it is counted with that', async () => {
  const id = await makeJob();
  await post(`/${id}/quality`, result);
  expect(await facetsOf(id)).toEqual(withResult);
  const job = await documents().findOneAndDelete({ _id: id });
  await passed();
  expect(await service.stores.db.collection<StoredFact>('job_facts').findOne({ _id: id })).toBeNull();
  if (job) await documents().insertOne(job);
  expect(await facetsOf(id)).toEqual(withResult);
});

it('a job and its result that are made in one transaction are counted together, whichever is first', async () => {
  const id = await makeJob();
  const below = await post(`/${id}/quality`, result);
  const stored = await documents()
    .find({ _id: { $in: [id, below] } })
    .toArray();
  const job = stored.find(({ type }) => type === JOB_TYPE);
  const report = stored.find(({ type }) => type !== JOB_TYPE);
  for (const order of [
    [job, report],
    [report, job],
  ]) {
    const renamed = newId();
    const copies = order.map((one) => ({
      ...one,
      ...(one === job
        ? { _id: renamed }
        : { _id: newId(), parent_id: renamed, body: { ...one?.body, parent: renamed } }),
    })) as Stored[];
    await service.stores.db.client.withSession((session) =>
      session.withTransaction(async () => {
        for (const copy of copies) await documents().insertOne(copy, { session });
      }),
    );
    expect(await facetsOf(renamed)).toEqual(withResult);
  }
});

describe('changes that come together', () => {
  it('count a job as it is after the last of them', async () => {
    await stop();
    const [changed, gone, again, reported] = [await makeJob(), await makeJob(), await makeJob(), await makeJob()];
    const path = `/workspaces/${workspace.id}/jobs`;
    await service.ask('PATCH', `${path}/${changed}`, { as: 'vendor', body: { status: 'complete' } });
    await service.ask('DELETE', `${path}/${gone}`, { as: 'vendor' });
    const job = await documents().findOneAndDelete({ _id: again });
    if (job) await documents().insertOne({ ...job, body: { ...(job.body as object), status: 'complete' } } as Stored);
    await post(`/${reported}/quality`, result);
    start();
    expect(await facetsOf(changed)).toEqual(['state', 'completion']);
    expect(await facetsOf(gone)).toBeUndefined();
    expect(await facetsOf(again)).toEqual(['state', 'completion']);
    expect(await facetsOf(reported)).toEqual(withResult);
  });

  it('count a job once that was counted before, and those that are made with it', async () => {
    await passed();
    const before = await leases().findOne({ _id: 'statistics' });
    const counted = await makeJob();
    await passed();
    await stop();
    const { _id, ...place } = before ?? { _id: '' };
    await leases().updateOne({ _id: 'statistics' }, { $set: place });
    const fresh = await makeJob();
    start();
    expect(await facetsOf(counted)).toEqual(asMade);
    expect(await facetsOf(fresh)).toEqual(asMade);
  });
});
