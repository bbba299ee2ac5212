// May take two minutes: it has its own mongod, and each command is a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FORM } from '../../src/store/migrations/list.ts';
import { type FaultyMongod, startFaultyMongod } from '../faults/faulty-mongod.ts';

const WAIT = { timeout: 30_000 };
const cli = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
// Vite sets its own BASE_URL.
const { BASE_URL: _url, MONGODB_URI: _uri, ...inherited } = process.env;
const database = 'test_ended_by_signal';
let mongod: FaultyMongod;
let folder = '';

/** Whether MongoDB is stalling a read of the command. */
async function isHeldUp(): Promise<boolean> {
  const held = [{ $currentOp: {} }, { $match: { op: 'getmore', active: true, appName: 'inspection-exchange-cli' } }];
  return (await mongod.client.db('admin').aggregate(held).toArray()).length > 0;
}

/** Starts a command; resolves to its stderr and exit code once it has ended. */
const start = (...args: string[]) => startOn({ DATA_DIR: mongod.dataDir, MONGODB_DATABASE: database }, ...args);

function startOn(settings: Readonly<Record<string, string>>, ...args: string[]) {
  const env = { ...inherited, ...settings };
  const child = spawn(process.execPath, [cli, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const outcome = Promise.all([once(child, 'exit'), text(child.stderr)]).then(([[code], stderr]) => ({ code, stderr }));
  return { child, outcome };
}

async function historySeconds(): Promise<number> {
  const name = 'minSnapshotHistoryWindowInSeconds';
  return (await mongod.client.db('admin').command({ getParameter: 1, [name]: 1 }))[name];
}

beforeAll(async () => {
  mongod = await startFaultyMongod();
  folder = mkdtempSync(join(tmpdir(), 'exchange-ended-'));
  const db = mongod.client.db(database);
  const documents = Array.from({ length: 3_000 }, (_, number) => ({ number }));
  await db.collection('documents').insertMany(documents);
  await db.collection('audit_log').insertMany(documents.map(() => ({ at: new Date(0), expires_at: null })));
  await db.collection<{ _id: string; number: number }>('meta').insertOne({ _id: 'form', number: FORM });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await mongod[Symbol.asyncDispose]();
});

describe('a command ended by a signal while it writes a file', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('leaves no draft of a backup, and says so: %s', async (signal) => {
    const hangs = { blockConnection: true, blockTimeMS: 10_000 };
    const namespace = `${database}.documents`;
    await mongod.fail({ commands: ['getMore'], namespace, appName: 'inspection-exchange-cli', data: hangs });
    const { child, outcome } = start('backup', join(folder, 'x.backup'));
    await vi.waitFor(() => expect(readdirSync(folder)).toEqual([expect.stringContaining('x.backup.draft-')]), WAIT);
    await vi.waitFor(async () => expect(await isHeldUp()).toBe(true), WAIT);
    child.kill(signal);
    child.kill(signal); // as from a launcher that forwards it
    // Had it waited for more documents, it would have reported its progress.
    expect(await outcome).toEqual({
      code: 128 + constants.signals[signal],
      stderr: `Ended by ${signal}. No backup was written.\n`,
    });
    expect(readdirSync(folder)).toEqual([]);
    expect(await historySeconds()).toBe(300);
    await mongod.heal();
  });

  it('blocks a second backup of the embedded database while it runs, and resets the history window after a killed one', async () => {
    const hangs = { blockConnection: true, blockTimeMS: 20_000 };
    await mongod.fail({ commands: ['getMore'], appName: 'inspection-exchange-cli', data: hangs });
    const first = start('backup', join(folder, 'first.backup'));
    await vi.waitFor(async () => expect(await historySeconds()).toBe(86_400), WAIT);
    expect(await start('backup', join(folder, 'second.backup')).outcome).toEqual({
      code: 1,
      stderr: `Another backup of the database "${database}" runs, so no backup was written. Take it when that has ended; ten seconds after one that was killed.\n`,
    });
    expect(await historySeconds()).toBe(86_400);
    first.child.kill('SIGKILL');
    await first.outcome;
    expect(await historySeconds()).toBe(86_400);
    await mongod.heal();
    await mongod.client
      .db(database)
      .collection<{ _id: string }>('leases')
      .updateOne({ _id: 'backup' }, { $set: { until: new Date(0) } });
    expect(await start('backup', join(folder, 'second.backup')).outcome).toEqual({ code: 0, stderr: '' });
    expect(await historySeconds()).toBe(300);
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
  });

  it('leaves no draft of an audit log export', async () => {
    await mongod.fail({ commands: ['getMore'], data: { blockConnection: true, blockTimeMS: 2_000 } });
    const { child, outcome } = start('audit', '--export', join(folder, 'x.ndjson'));
    await vi.waitFor(() => expect(readdirSync(folder)).toEqual([expect.stringContaining('x.ndjson.draft-')]), WAIT);
    child.kill('SIGINT');
    expect(await outcome).toEqual({ code: 130, stderr: 'Ended by SIGINT.\n' });
    expect(readdirSync(folder)).toEqual([]);
    await mongod.heal();
  });
});

describe('a command ended by a signal while MongoDB hangs', () => {
  // By itself, the driver gives up after more than a minute.
  const SOON_MS = 45_000;
  const PERHAPS_HALF = 'MongoDB does not respond. If the restore had begun, the database is half restored now: ';

  it.each([
    ['backup', 'getMore', 'No backup was written.'],
    ['restore', 'insert', `${PERHAPS_HALF}run it again with --replace, ten seconds from now.`],
  ] as const)('ends soon, and says what state that leaves: %s', async (command, held, state) => {
    const file = join(folder, 'hanging.backup');
    if (command === 'restore') expect(await start('backup', file).outcome).toMatchObject({ code: 0 });
    const data = { blockConnection: true, blockTimeMS: 1_000 };
    const { met } = await mongod.fail({ commands: [held], appName: 'inspection-exchange-cli', data });
    const env = { MONGODB_URI: mongod.uri, MONGODB_DATABASE: command === 'restore' ? 'test_hanging' : database };
    const { child, outcome } = startOn(env, command, file);
    await met();
    process.kill(mongod.pid, 'SIGSTOP');
    try {
      const asked = performance.now();
      child.kill('SIGINT');
      const { code, stderr } = await outcome;
      expect([code, stderr]).toEqual([130, expect.stringContaining(`Ended by SIGINT. ${state}\n`)]);
      expect(performance.now() - asked).toBeLessThan(SOON_MS);
    } finally {
      process.kill(mongod.pid, 'SIGCONT');
      await mongod.heal();
      rmSync(file, { force: true });
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});
