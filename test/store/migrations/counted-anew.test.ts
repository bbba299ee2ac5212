import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { countedAnew } from '../../../src/store/migrations/counted-anew.ts';
import { MIGRATIONS } from '../../../src/store/migrations/list.ts';
import { repeatMigrations } from '../../../src/store/migrations/run-migrations.ts';
import type { StoredFact } from '../../../src/store/statistics/job-fact.ts';
import { verify } from '../../../src/verification/verify.ts';
import { makeWorkspace, startTestService, type TestService } from '../../service.ts';
import { allCounted } from '../../statistics/all-counted.ts';

const client = new MongoClient(inject('mongoUri'));
const log = { info: () => undefined, warn: () => undefined };
let keeper: TestService;
let database: string;

const db = () => client.db(database);
const facts = () => db().collection<StoredFact>('job_facts');
const faults = async () => (await verify({ client, db: db(), againMs: 0, dueMs: 0 })).findings.map(({ id }) => id);

/** Counts jobs as an earlier version did: under fewer vessels, with other keys. */
async function countAsBefore(): Promise<number> {
  const state = { $mergeObjects: ['$$cell', { key: '["pending","earlier"]' }] };
  const isState = { $eq: ['$$cell.facet', 'state'] };
  const cells = { $map: { input: '$cells', as: 'cell', in: { $cond: [isState, state, '$$cell'] } } };
  const { modifiedCount } = await facts().updateMany({}, [{ $set: { of: { $slice: ['$of', 2] }, cells } }]);
  await db()
    .collection('statistics_rollups')
    .updateMany({ facet: 'state' }, { $set: { key: '["pending","earlier"]' } });
  return modifiedCount;
}

beforeAll(async () => {
  keeper = await startTestService({ counts: true });
  database = keeper.stores.db.databaseName;
  const { id } = await makeWorkspace(keeper);
  for (const transports of [[{ name: 'Alba' }], [{ name: 'Alba' }, { name: 'Bora' }, { name: 'Cora' }]]) {
    const body = { status: 'pending', activity: 'load', transports };
    expect((await keeper.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body })).status).toBe(201);
  }
  await allCounted(keeper);
});
afterAll(async () => {
  await keeper.stop();
  await client.close();
});

describe('starting on a database whose statistics follow earlier rules', () => {
  it('recounts every job while another gateway keeps statistics', async () => {
    const right = await facts().find().toArray();
    expect(await countAsBefore()).toBe(2);
    expect((await faults()).length).toBeGreaterThan(2);
    const number = MIGRATIONS.indexOf(countedAnew);
    await db().collection<{ _id: string }>('meta').updateOne({ _id: 'form' }, { $set: { number } });
    await using _service = await startTestService({ database });
    expect(await facts().find().toArray()).toEqual(right);
    expect(await faults()).toEqual([]);
  });

  it('can be repeated for what an older gateway has counted since', async () => {
    await countAsBefore();
    expect(await repeatMigrations(db(), log)).toBeGreaterThan(0);
    expect(await faults()).toEqual([]);
    expect(await repeatMigrations(db(), log)).toBe(0);
  });

  it('leaves counting to the first gateway where nothing is counted yet', async () => {
    await using other = await startTestService();
    const { id } = await makeWorkspace(other);
    await other.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: {} });
    expect(await countedAnew.total(other.stores.db)).toBe(0);
    expect(await repeatMigrations(other.stores.db, log)).toBe(0);
    expect(await other.stores.db.collection('job_facts').countDocuments()).toBe(0);
  });
});
