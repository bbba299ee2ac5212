import { afterAll, beforeAll, expect, it } from 'vitest';
import { FACTS, ROLLUPS } from '../../src/store/statistics/apply-facts.ts';
import { startProjectingStatistics } from '../../src/store/statistics/statistics-projector.ts';
import { makeWorkspace, startTestService, type TestService } from '../service.ts';
import { type FaultyMongod, startFaultyMongod } from './faulty-mongod.ts';

let mongod: FaultyMongod;
let service: TestService;

beforeAll(async () => {
  mongod = await startFaultyMongod();
  service = await startTestService({ uri: mongod.uri });
  const path = `/workspaces/${(await makeWorkspace(service)).id}/jobs`;
  expect((await service.ask('POST', path, { as: 'client', body: {} })).status).toBe(201);
});
afterAll(async () => {
  await mongod.heal();
  await service.stop();
  await mongod[Symbol.asyncDispose]();
});

it.each([
  ['find', 'documents', FACTS],
  ['aggregate', ROLLUPS, ROLLUPS],
])(
  'a first count that stalls (%s in %s) while another process takes over writes no %s',
  async (command, read, written) => {
    const { db } = service.stores;
    const leases = mongod.client
      .db(db.databaseName)
      .collection<{ _id: string; holder?: string; until?: Date }>('leases');
    await leases.deleteMany({ _id: /^statistics/ as never });
    for (const name of [FACTS, ROLLUPS]) await db.collection(name).deleteMany({});
    const warned: unknown[] = [];
    const log = { info: () => undefined, warn: (fields: { readonly err?: unknown }) => void warned.push(fields.err) };
    const blocked = { blockConnection: true, blockTimeMS: 3_000 };
    const namespace = `${db.databaseName}.${read}`;
    const fault = await mongod.fail({ commands: [command], namespace, times: 1, data: blocked });
    const end = startProjectingStatistics(db, log);
    await fault.met();
    await leases.updateOne(
      { _id: 'statistics lease' },
      { $set: { holder: 'the next', until: new Date('2100-01-01') } },
    );
    await leases.updateOne({ _id: 'statistics' }, { $set: { holder: 'the next' } });
    await expect.poll(() => warned, { timeout: 20_000 }).toHaveLength(1);
    expect(String(warned)).toContain('Another process keeps statistics.');
    expect(await db.collection(written).countDocuments()).toBe(0);
    await end();
  },
);
