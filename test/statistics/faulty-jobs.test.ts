import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import { keptStatistics } from '../../src/store/migrations/kept-statistics.ts';
import { rebuildStatistics, toldTo } from '../../src/store/statistics/rebuild.ts';
import { startProjectingStatistics } from '../../src/store/statistics/statistics-projector.ts';
import { verify } from '../../src/verification/verify.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';
import { allCounted } from './all-counted.ts';

const service = serviceFixture();
const client = new MongoClient(inject('mongoUri'));
const warned: (readonly [job: unknown, message: string])[] = [];
const log = {
  info: () => undefined,
  warn: (fields: object, message: string) => void warned.push([(fields as { job?: string }).job, message]),
};
const LEFT_OUT = 'a job cannot be counted in statistics; it stays there as it was counted last';
let path: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  path = `/v2/workspaces/${(await makeWorkspace(service)).id}/documents`;
  stop = startProjectingStatistics(service.stores.db, log);
});
afterAll(async () => {
  await stop?.();
  await client.close();
});

const documents = () => service.stores.db.collection<{ _id: string }>('documents');

async function create(): Promise<string> {
  const body = { type: JOB_TYPE, body: { status: 'active' } };
  const { status, body: made } = await service.ask('POST', path, { as: 'client', body });
  expect(status).toBe(201);
  return made.id;
}

/** Sets a field of a job by hand, which is a change as any other. */
async function put(job: string, field: string, value: unknown): Promise<unknown> {
  const before = await documents().findOne({ _id: job });
  await documents().replaceOne({ _id: job }, { ...before, [field]: value });
  return before?.[field as never];
}

const stateOf = async (job: string) => {
  const fact = await service.stores.db.collection<{ _id: string; cells: object[] }>('job_facts').findOne({ _id: job });
  return fact?.cells.map(({ key }: { key?: string }) => key)[0];
};
const ACTIVE = JSON.stringify(['active', null]);
const faults = async () => {
  const { findings } = await verify({ client, db: client.db(service.stores.db.databaseName), againMs: 0 });
  return findings
    .filter(({ fault }) => /in statistics|cannot be checked/.test(fault))
    .map(({ id, fault }) => [id, fault]);
};

describe.each([
  [
    'created_at',
    'yesterday',
    'cannot be counted in statistics, and stays there as it was counted last: the log of the gateways says why.',
  ],
  ['workspace', 7, 'cannot be checked: partition.startsWith is not a function'],
])('a job whose %s is of a type that nobody expects', (field, odd, fault) => {
  let job: string;
  let proper: unknown;

  it('is left out, and named in the log, while other jobs are counted', async () => {
    [job] = [await create(), await create()];
    await allCounted(service);
    proper = await put(job, field, odd);
    const after = await create();
    await allCounted(service);
    expect([await stateOf(job), await stateOf(after)]).toEqual([ACTIVE, ACTIVE]);
    expect(warned).toEqual([[job, LEFT_OUT]]);
  });

  it('holds up neither a rebuild nor a verification, which names it', async () => {
    warned.length = 0;
    expect(await rebuildStatistics(service.stores.db, toldTo(log), () => undefined)).toMatchObject({ changed: 0 });
    expect(warned).toEqual([[job, LEFT_OUT]]);
    expect(await faults()).toEqual([[job, fault]]);
  });

  it('does not hold up the first count of a database', async () => {
    await stop();
    for (const name of ['job_facts', 'statistics_rollups']) await service.stores.db.collection(name).deleteMany({});
    warned.length = 0;
    for await (const step of keptStatistics.steps(service.stores.db, undefined, log))
      expect(step.read).toBeGreaterThan(0);
    expect(warned).toEqual([[job, LEFT_OUT]]);
    expect(await stateOf(job)).toBeUndefined();
    stop = startProjectingStatistics(service.stores.db, log);
  });

  it('is counted again when it changes', async () => {
    await put(job, field, proper);
    await allCounted(service);
    expect(await stateOf(job)).toBe(ACTIVE);
    expect(await faults()).toEqual([]);
    warned.length = 0;
  });
});

describe('kept statistics that cannot be read', () => {
  it.each([
    ['job_facts', 'cells', 'x'],
    ['job_facts', 'cells', [null]],
    ['job_facts', 'of', 'x'],
    ['job_facts', 'created_at', 'x'],
    ['job_facts', 'readers', null],
    ['statistics_rollups', 'n', 'x'],
    ['statistics_rollups', 'start', 'x'],
    ['statistics_rollups', 'readers', 7],
  ])('are named by a verification, and counted anew by a rebuild: in %s, %s is %j', async (name, member, odd) => {
    await create();
    await allCounted(service);
    const kept = service.stores.db.collection<{ _id: string }>(name);
    const id = (await kept.findOne({}, { sort: { _id: -1 } }))?._id ?? '';
    await kept.updateOne({ _id: id }, { $set: { [member]: odd } });
    const { findings } = await verify({ client, db: client.db(service.stores.db.databaseName), againMs: 0 });
    const fault = expect.stringMatching(/^is kept in a form that no version writes: .* rebuild statistics sets/);
    expect(findings).toContainEqual({ collection: name, id, fault });
    await create(); // may wait for the rebuild
    await rebuildStatistics(service.stores.db, toldTo(log), () => undefined);
    await allCounted(service);
    expect(await faults()).toEqual([]);
    expect(await kept.findOne({ _id: id })).toMatchObject({ [member]: expect.anything() });
  });
});
