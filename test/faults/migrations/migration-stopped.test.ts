import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { StoredDocument } from '../../../src/model/entity/entity.ts';
import { type FaultyMongod, startFaultyMongod } from '../faulty-mongod.ts';
import { timelog } from './stored-timelog.ts';

const DOCUMENTS = 6_000;
const sources = join(import.meta.dirname, '..', '..', '..', 'src');
const GATEWAY = [join(sources, 'main.ts')];
const MIGRATE = [join(sources, 'cli', 'main.ts'), 'migrate'];
// Vite sets a BASE_URL of its own.
const { BASE_URL: _url, ...inherited } = process.env;
let mongod: FaultyMongod;

beforeAll(async () => {
  mongod = await startFaultyMongod();
});
afterAll(() => mongod[Symbol.asyncDispose]());

/** Starts the program on a database of the first stored form, and stops it by the signal once it is migrating. */
async function stopWhileMigrating(
  program: readonly string[],
  signal: NodeJS.Signals,
  settings: Readonly<Record<string, string>> = {},
) {
  const database = `test_migration_stopped_${newId()}`;
  const db = mongod.client.db(database);
  const documents = db.collection<StoredDocument>('documents');
  await documents.insertMany(Array.from({ length: DOCUMENTS }, (_, index) => timelog(index)));
  const slow = { blockConnection: true, blockTimeMS: 1_000 };
  await mongod.fail({ commands: ['update'], namespace: documents.namespace, data: slow });
  const env = { ...inherited, MONGODB_URI: mongod.uri, MONGODB_DATABASE: database, PORT: '0', ...settings };
  const child = spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const meta = db.collection<{ _id: string; migration?: { read: number } }>('meta');
  const progress = async () => (await meta.findOne({ _id: 'form' }))?.migration?.read ?? 0;
  await vi.waitFor(async () => expect(await progress()).toBeGreaterThan(0), { timeout: 60_000 });
  child.kill(signal);
  child.kill('SIGTERM'); // a second one changes nothing
  const [code] = await ended;
  await mongod.heal();
  expect(await progress()).toBeLessThan(DOCUMENTS);
  const lease = await db.collection<{ _id: string; until: Date }>('leases').findOne({ _id: 'migration' });
  const [stdout, stderr] = await said;
  return { code, stdout, stderr, leasedUntil: lease?.until };
}

describe('stopped while migrating, it leaves the migration to the next', () => {
  it.each([
    ['SIGTERM', '1'],
    ['SIGHUP', '2'],
  ] as const)('a gateway, by %s, with WORKERS=%s', { timeout: 180_000 }, async (signal, WORKERS) => {
    const { stdout, ...outcome } = await stopWhileMigrating(GATEWAY, signal, { WORKERS });
    expect(outcome).toEqual({ code: 0, stderr: '', leasedUntil: new Date(0) });
    expect(stdout.match(/"msg":"stop[a-z]*"/g)).toEqual(['"msg":"stopping"', '"msg":"stopped"']);
  });

  it('the command migrate', { timeout: 180_000 }, async () => {
    const { stdout: _log, ...outcome } = await stopWhileMigrating(MIGRATE, 'SIGTERM');
    const stderr = 'Ended by SIGTERM. The next migrate, or start of the service, goes on where it was.\n';
    expect(outcome).toEqual({ code: 143, stderr, leasedUntil: new Date(0) });
  });
});
