// May take 20 s: it has its own mongod, and each command is a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Db } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FORM } from '../../src/store/migrations/list.ts';
import { type FaultyMongod, startFaultyMongod } from '../faults/faulty-mongod.ts';

const WAIT = { timeout: 30_000 };
const DOCUMENTS = 10_000;
const cli = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
// Vite sets its own BASE_URL.
const { BASE_URL: _url, ...inherited } = process.env;
let mongod: FaultyMongod;
let folder = '';
let file = '';

interface Meta {
  readonly _id: string;
  readonly number?: number;
  readonly token?: string;
}

/** Starts a command; resolves to its output and exit code once it has ended. */
function start(db: Db, ...args: string[]) {
  const env = { ...inherited, MONGODB_URI: mongod.uri, MONGODB_DATABASE: db.databaseName };
  const child = spawn(process.execPath, [cli, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const outcome = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]).then(
    ([[code, signal], stdout, stderr]) => ({ code: code ?? signal, stdout, stderr }),
  );
  return { child, outcome };
}

/** Each batch is slowed down, so that a restore takes a few seconds. */
const slowDown = (blockTimeMS: number) =>
  mongod.fail({
    commands: ['insert'],
    appName: 'inspection-exchange-cli',
    data: { blockConnection: true, blockTimeMS },
  });

const markOf = async (db: Db) => (await db.collection<Meta>('meta').findOne({ _id: 'restore' }))?.token;
/** The audit log's own id, which changes when it is dropped. */
const auditLogOf = async (db: Db) =>
  String((await db.listCollections({ name: 'audit_log' }, { nameOnly: false }).next())?.info?.uuid);
const ageLeases = (db: Db) => db.collection('leases').updateMany({}, { $set: { until: new Date(0) } });

beforeAll(async () => {
  mongod = await startFaultyMongod();
  folder = mkdtempSync(join(tmpdir(), 'exchange-restores-'));
  file = join(folder, 'x.backup');
  const source = mongod.client.db('test_two_restores_source');
  await source.collection<Meta>('meta').insertOne({ _id: 'form', number: FORM });
  for (const name of ['audit_log', 'documents', 'erasures']) {
    await source.collection(name).insertMany(Array.from({ length: DOCUMENTS }, (_, number) => ({ number })));
  }
  expect(await start(source, 'backup', file).outcome).toMatchObject({ code: 0 });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await mongod[Symbol.asyncDispose]();
});

describe('two restores into one database', () => {
  it('the second is refused while the first runs, and changes nothing', async () => {
    const db = mongod.client.db('test_two_restores');
    await slowDown(500);
    const first = start(db, 'restore', file);
    await vi.waitFor(async () => expect(await markOf(db)).toBeDefined(), WAIT);
    expect(await start(db, 'restore', file, '--replace').outcome).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'Another restore into the database "test_two_restores" runs. Restore when that has ended; ten seconds after one that was killed. Nothing was changed.\n',
    });
    await mongod.heal();
    expect(await first.outcome).toMatchObject({ code: 0 });
    expect(await db.collection('documents').countDocuments({})).toBe(DOCUMENTS);
  });

  it('one suspended while another began gives up, and leaves the mark of the other', async () => {
    const db = mongod.client.db('test_suspended_restore');
    await slowDown(300);
    const first = start(db, 'restore', file);
    await vi.waitFor(async () => expect(await db.collection('audit_log').countDocuments({})).toBeGreaterThan(0), WAIT);
    first.child.kill('SIGSTOP');
    const [mark, auditLog] = [await markOf(db), await auditLogOf(db)];
    await ageLeases(db); // as if it had been suspended for ten seconds
    const second = start(db, 'restore', file, '--replace');
    const others = async () => {
      const token = await markOf(db);
      return token !== undefined && token !== mark;
    };
    await vi.waitFor(async () => expect(await others()).toBe(true), WAIT);
    await vi.waitFor(async () => expect(await auditLogOf(db)).not.toBe(auditLog), WAIT);
    second.child.kill('SIGKILL');
    await second.outcome;
    await mongod.heal();
    await ageLeases(db);
    first.child.kill('SIGCONT');
    expect(await first.outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^Another restore into the database "test_suspended_restore" has begun meanwhile, so that of .*x\.backup was given up\. .* doctor --verify\.\n$/,
      ),
    });
    expect(await others()).toBe(true);

    expect(await start(db, 'restore', file, '--replace').outcome).toMatchObject({ code: 0 });
    for (const name of ['audit_log', 'documents', 'erasures']) {
      const restored = await db.collection(name).countDocuments({ number: { $exists: true } });
      expect([name, restored]).toEqual([name, DOCUMENTS]);
    }
    expect(await markOf(db)).toBeUndefined();
  });

  it('one ended by a signal says that the database is half restored, and the next can begin at once', async () => {
    const db = mongod.client.db('test_ended_restore');
    await slowDown(500);
    const ended = start(db, 'restore', file);
    await vi.waitFor(async () => expect(await markOf(db)).toBeDefined(), WAIT);
    ended.child.kill('SIGINT');
    expect(await ended.outcome).toEqual({
      code: 130,
      stdout: '',
      stderr:
        'Ended by SIGINT. The database "test_ended_restore" is half restored now: run the restore again with --replace.\n',
    });
    await mongod.heal();
    expect(await markOf(db)).toBeDefined();
    expect(await start(db, 'restore', file, '--replace').outcome).toMatchObject({ code: 0 });
  });

  it('one that fails says that the database is half restored', async () => {
    const db = mongod.client.db('test_failed_restore');
    const namespace = `${db.databaseName}.erasures`;
    await mongod.fail({
      commands: ['insert'],
      namespace,
      appName: 'inspection-exchange-cli',
      data: { errorCode: 14031 },
    });
    expect(await start(db, 'restore', file).outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        / The database "test_failed_restore" is half restored now: run the restore again with --replace\.\n$/,
      ),
    });
    await mongod.heal();
    expect(await markOf(db)).toBeDefined();
    expect(await start(db, 'restore', file, '--replace').outcome).toMatchObject({ code: 0 }); // at once
  });
});
