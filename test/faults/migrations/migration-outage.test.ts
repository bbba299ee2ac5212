import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { StoredDocument } from '../../../src/model/entity/entity.ts';
import { FORM } from '../../../src/store/migrations/list.ts';
import { repeatMigrations } from '../../../src/store/migrations/run-migrations.ts';
import { connectStores } from '../../../src/store/stores.ts';
import { type FaultyMongod, startFaultyMongod } from '../faulty-mongod.ts';
import { timelog } from './stored-timelog.ts';

const DOCUMENTS = 6_000;
const database = 'test_migration_outage';
let mongod: FaultyMongod;
const logged: Record<string, unknown>[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
const said = (text: string) => logged.filter(({ msg }) => String(msg).includes(text));

beforeAll(async () => {
  mongod = await startFaultyMongod();
});
afterAll(() => mongod[Symbol.asyncDispose]());

const slow = { blockConnection: true, blockTimeMS: 500 };

/** Once the work has begun, its writes break, retries included; then mongod is killed, and restarted. */
async function breakOff(hasBegun: () => Promise<boolean>, doing: string): Promise<void> {
  const fault = { commands: ['update'], namespace: `${database}.documents` };
  await vi.waitFor(async () => expect(await hasBegun()).toBe(true), { timeout: 60_000, interval: 5 });
  await mongod.fail({ ...fault, data: { closeConnection: true } });
  const told = expect.objectContaining({ level: 40, msg: expect.stringMatching(` went away while ${doing};`) });
  await vi.waitFor(() => expect(said('MongoDB at 127.0.0.1').slice(-1)).toEqual([told]), { timeout: 60_000 });
  process.kill(mongod.pid, 'SIGKILL');
}

describe('a migration whose MongoDB is killed', () => {
  it('resumes once MongoDB is back, and so does a repeated one', async () => {
    const db = mongod.client.db(database);
    const documents = db.collection<StoredDocument>('documents');
    await documents.insertMany(Array.from({ length: DOCUMENTS }, (_, index) => timelog(index)));
    await mongod.fail({ commands: ['update'], namespace: documents.namespace, data: slow });
    const form = () => db.collection<{ _id: string; migration?: { read: number } }>('meta').findOne({ _id: 'form' });
    const connecting = connectStores({ uri: mongod.uri, database, migrations: log });
    await breakOff(async () => ((await form())?.migration?.read ?? 0) > 0, 'the stored form is migrated');
    const stores = await connecting;
    try {
      expect(said('the migration of the stored form continues')[0]).toMatchObject({ total: DOCUMENTS });
      expect(Number(said('the migration of the stored form continues')[0]?.read)).toBeGreaterThan(0);
      expect(said('the stored form has been migrated')[0]).toMatchObject({ form: 1, read: DOCUMENTS });
      expect(said('another process')).toEqual([]);
      expect(await form()).toMatchObject({ number: FORM });
      expect(await documents.countDocuments({ 'keys.start': new Date('2026-05-04T07:00:00Z') })).toBe(DOCUMENTS);

      await documents.updateMany({}, { $set: { keys: {} } });
      await mongod.fail({ commands: ['update'], namespace: documents.namespace, data: slow });
      const again = repeatMigrations(stores.db, log);
      const someDone = async () => (await documents.findOne({ 'keys.start': { $exists: true } })) !== null;
      await breakOff(someDone, 'a migration is done again');
      expect(await again).toBeGreaterThan(DOCUMENTS / 2);
      expect(await documents.countDocuments({ 'keys.start': new Date('2026-05-04T07:00:00Z') })).toBe(DOCUMENTS);
      expect(said('MongoDB at 127.0.0.1')).toHaveLength(2);
    } finally {
      await stores.close();
    }
  }, 180_000);
});
