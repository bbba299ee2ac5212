import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Collection } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoredDocument } from '../../../src/model/entity/entity.ts';
import { FORM } from '../../../src/store/migrations/list.ts';
import { type FaultyMongod, startFaultyMongod } from '../faulty-mongod.ts';
import { timelog } from './stored-timelog.ts';

const DOCUMENTS = 6_000;
const main = join(import.meta.dirname, '..', '..', '..', 'src', 'main.ts');
const database = 'test_migration_killed';
let mongod: FaultyMongod;
let documents: Collection<StoredDocument>;
let meta: Collection<{ _id: string; number: number; migration?: { read: number; place: string } }>;
const progress = async () => (await meta.findOne({ _id: 'form' }))?.migration?.read ?? 0;
// Vite sets a BASE_URL of its own.
const { BASE_URL: _url, ...inherited } = process.env;

function start() {
  const env = { ...inherited, MONGODB_URI: mongod.uri, MONGODB_DATABASE: database, PORT: '0' };
  return spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

beforeAll(async () => {
  mongod = await startFaultyMongod();
  const db = mongod.client.db(database);
  [documents, meta] = [db.collection('documents'), db.collection('meta')];
});
afterAll(() => mongod[Symbol.asyncDispose]());

describe('a gateway killed while migrating', () => {
  it('has lost nothing: the next one resumes where it was, and finishes', async () => {
    await documents.insertMany(Array.from({ length: DOCUMENTS }, (_, index) => timelog(index)));
    // Each of its twelve batches takes a second, so it is killed long before the end.
    const slows = { blockConnection: true, blockTimeMS: 1_000 };
    await mongod.fail({ commands: ['update'], namespace: documents.namespace, data: slows });
    const first = start();
    while ((await progress()) === 0) {
      expect(first.exitCode).toBeNull();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    first.kill('SIGKILL');
    await once(first, 'exit');
    await mongod.heal();
    const done = await progress();
    const withKeys = await documents.countDocuments({ 'keys.start': { $exists: true } });
    expect(done).toBeLessThan(DOCUMENTS);
    expect(withKeys).toBeGreaterThanOrEqual(done);
    expect(await meta.findOne({ _id: 'form' })).toMatchObject({ number: 0 });

    const second = start();
    const lines: string[] = [];
    for await (const line of createInterface(second.stdout)) {
      lines.push(line);
      if (line.startsWith('Ready')) break;
    }
    second.kill('SIGTERM');
    const log: string[] = [...lines];
    for await (const line of createInterface(second.stdout)) log.push(line);
    const logged = log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    expect(logged.find(({ msg }) => String(msg).includes('continues'))).toMatchObject({ read: done, total: DOCUMENTS });
    const end = logged.find(({ msg }) => String(msg).includes('has been migrated'));
    expect(end).toMatchObject({ form: 1, read: DOCUMENTS });
    expect(await documents.countDocuments({ 'keys.start': new Date('2026-05-04T07:00:00Z') })).toBe(DOCUMENTS);
    expect(await documents.countDocuments({ modified_at: new Date(0), revision: 1 })).toBe(DOCUMENTS);
    expect(await meta.findOne({ _id: 'form' })).toMatchObject({ number: FORM });
  }, 300_000);
});
