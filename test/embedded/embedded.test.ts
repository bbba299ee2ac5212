import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { test as base, describe, expect, vi } from 'vitest';
import { lifeOf } from '../../scripts/process-life.mjs';
import { holderOf, takeLock } from '../../src/embedded-mongod/lock.ts';
import { projectCacheDir as cacheDir } from '../../src/embedded-mongod/server.ts';

interface Gateway {
  readonly child: ChildProcess;
  readonly uri: string;
  readonly mongod: number;
}

/** A data folder, and the processes started on it; all are gone after the test. */
interface DataFolder {
  readonly folder: string;
  readonly started: number[];
}

const test = base.extend<{ readonly data: DataFolder }>({
  data: async ({ task: _ }, use) => {
    const data: DataFolder = { folder: mkdtempSync(join(tmpdir(), 'exchange-embedded-')), started: [] };
    await use(data);
    for (const pid of data.started) await kill(pid);
    rmSync(data.folder, { recursive: true, force: true });
  },
});

describe.concurrent('a gateway with its embedded MongoDB', () => {
  test('is a replica set of one that runs transactions, and finds its data after a restart on the same port', async ({
    data,
  }) => {
    const first = await start(data);
    await write(first.uri, 'kept');
    await stop(first);
    const second = await start(data);
    expect(await read(second.uri)).toEqual(['kept']);
    expect(second.uri).toBe(first.uri);
  });

  test('gives its mongod more room for dirty data than the default', async ({ data }) => {
    const { uri } = await start(data);
    const client = new MongoClient(uri);
    const { parsed } = await client.db('admin').command({ getCmdLineOpts: 1 });
    await client.close();
    expect(parsed.storage.wiredTiger.engineConfig).toEqual({
      cacheSizeGB: 1,
      configString: expect.stringContaining('eviction_dirty_target=20,eviction_dirty_trigger=60'),
    });
  });

  test('has room for a transaction of 300 MB, more than the largest bulk', async ({ data }) => {
    const { uri } = await start(data);
    const client = new MongoClient(uri);
    const large = client.db('exchange').collection('large');
    const text = 'x'.repeat(150_000);
    await client.withSession((session) =>
      session.withTransaction(async () => {
        for (let part = 0; part < 20; part++) {
          const documents = Array.from({ length: 100 }, () => ({ text }));
          await large.insertMany(documents, { session });
        }
      }),
    );
    expect(await large.countDocuments()).toBe(2_000);
    await client.close();
  });

  test("ends a killed gateway's open transactions after 20 s, not the default 60 s", async ({ data }) => {
    const { uri } = await start(data);
    const client = new MongoClient(uri);
    const told = await client.db('admin').command({ getParameter: 1, transactionLifetimeLimitSeconds: 1 });
    await client.close();
    expect(told.transactionLifetimeLimitSeconds).toBe(20);
  });

  test('does not start on a full disk, and says which', async ({ data }) => {
    const lock = join(data.folder, 'gateway.lock');
    symlinkSync('/dev/full', `${lock}.${process.pid}`);
    await expect(takeLock(data.folder, () => {})).rejects.toThrow(
      `${lock} cannot be written (ENOSPC: no space left on device).`,
    );
    expect(readdirSync(data.folder)).toEqual([]);
  });

  test('ends its mongod cleanly when it stops, and leaves no lock', async ({ data }) => {
    const gateway = await start(data);
    await stop(gateway);
    expect(lifeOf(gateway.mongod)).toBeUndefined();
    expect(holderOf(data.folder)).toBeUndefined();
    expect(readFileSync(join(data.folder, 'db', 'mongod.lock'), 'utf8')).toBe('');
  });

  test("is refused on a data folder in use, with the user's process id and address", async ({ data }) => {
    const { child } = await start(data);
    await expect(start(data)).rejects.toThrow(
      new RegExp(`data folder .* is in use by another gateway \\(process ${child.pid}, http://127.0.0.1:4000, since `),
    );
  });

  test('waits for one that is stopping, says so, and starts once it has stopped; it does not wait for any other', async ({
    data,
  }) => {
    const first = await start(data);
    process.kill(first.mongod, 'SIGSTOP'); // the stop takes until its mongod resumes
    first.child.kill('SIGTERM');
    await vi.waitFor(() => expect(holderOf(data.folder)?.stopping).toBeDefined(), { timeout: 20_000 });
    const said: string[] = [];
    const second = start(data, (line) => said.push(line));
    await vi.waitFor(
      () =>
        expect(said).toEqual([
          expect.stringMatching(
            new RegExp(`^Waiting for the gateway on .* \\(process ${first.child.pid}\\) that is stopping`),
          ),
        ]),
      { timeout: 20_000 },
    );
    process.kill(first.mongod, 'SIGCONT');
    expect((await second).uri).toBe(first.uri);
    expect(first.child.exitCode).toBe(0);
  });

  test('takes its mongod down when killed, and restarts at once with all data written', async ({ data }) => {
    const first = await start(data);
    await write(first.uri, 'before the kill');
    await kill(first.child.pid);
    const second = await start(data);
    expect(lifeOf(first.mongod)).toBeUndefined();
    expect(await read(second.uri)).toEqual(['before the kill']);
    await kill(second.child.pid);
    await vi.waitFor(() => expect(lifeOf(second.mongod)).toBeUndefined(), { timeout: 20_000 });
  });

  test('recovers from its journal when both it and its mongod are killed', async ({ data }) => {
    const first = await start(data);
    await write(first.uri, 'in the journal');
    await Promise.all([kill(first.mongod), kill(first.child.pid)]);
    const second = await start(data);
    expect(await read(second.uri)).toEqual(['in the journal']);
  });

  test('is refused on a folder that cannot be created, in one line naming the setting', async ({ data }) => {
    await expect(start({ ...data, folder: '/proc/exchange/data' })).rejects.toThrow(
      /^DATA_DIR=\/proc\/exchange\/data cannot be used: .*mkdir '\/proc.*'\. Set it to a folder that this user may write to, or MONGODB_URI or MONGODB_URI_FILE to a MongoDB of your own, which a container needs\.$/m,
    );
  });

  test('moves to another port when its own is in use', async ({ data }) => {
    const first = await start(data);
    await write(first.uri, 'moved');
    await stop(first);
    const squatter = createServer((socket) => socket.on('data', () => socket.destroy()));
    squatter.listen(Number(new URL(first.uri).port), '127.0.0.1');
    await once(squatter, 'listening');
    const second = await start(data);
    squatter.close();
    expect(second.uri).not.toBe(first.uri);
    expect(await read(second.uri)).toEqual(['moved']);
  });
});

describe('the data folder lock', () => {
  test('passes from a dead gateway to the next, even if another process has its process id', async ({ data }) => {
    const dead = { pid: process.pid, life: 'an earlier life of this number', since: new Date().toISOString() };
    writeFileSync(join(data.folder, 'gateway.lock'), JSON.stringify(dead));
    expect(holderOf(data.folder)).toBeUndefined();
    const lock = await takeLock(data.folder, () => {});
    expect(holderOf(data.folder)?.pid).toBe(process.pid);
    await expect(takeLock(data.folder, () => {})).rejects.toThrow('in use by another gateway');
    lock.release();
    expect(holderOf(data.folder)).toBeUndefined();
  });

  test('is taken over if a crash left it unreadable', async ({ data }) => {
    mkdirSync(data.folder, { recursive: true });
    writeFileSync(join(data.folder, 'gateway.lock'), '{"pid":');
    (await takeLock(data.folder, () => {})).release();
  });
});

describe('the data folder lock on a full disk', () => {
  const draft = ({ folder }: DataFolder): string => join(folder, `gateway.lock.${process.pid}`);

  test('is not taken, and leaves nothing', async ({ data }) => {
    symlinkSync('/dev/full', draft(data));
    await expect(takeLock(data.folder, () => {})).rejects.toThrow('ENOSPC');
    expect(readdirSync(data.folder)).toEqual([]);
  });

  test('stays as it is if it cannot be updated, leaving nothing beside it', async ({ data }) => {
    const lock = await takeLock(data.folder, () => {});
    symlinkSync('/dev/full', draft(data));
    expect(() => lock.announceStop()).toThrow('ENOSPC');
    expect(readdirSync(data.folder)).toEqual(['gateway.lock']);
    expect(holderOf(data.folder)?.pid).toBe(process.pid);
  });
});

/** A gateway in its own process; rejects with its output if it ends instead. */
async function start({ folder, started }: DataFolder, told: (line: string) => void = () => {}): Promise<Gateway> {
  const program = join(import.meta.dirname, 'embedded-gateway.ts');
  const child = spawn(process.execPath, [program, folder, cacheDir], { stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.pid) started.push(child.pid);
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
    told(String(chunk));
  });
  const firstLine = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const ended = once(child, 'close').then(() => Promise.reject(new Error(complaint)));
  const [line] = await Promise.race([firstLine, ended]);
  ended.catch(() => {});
  const { uri, mongod } = JSON.parse(line) as { uri: string; mongod: number };
  started.push(mongod);
  return { child, uri, mongod };
}

async function stop({ child }: Gateway): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'close');
}

async function kill(pid: number | undefined): Promise<void> {
  if (pid === undefined || lifeOf(pid) === undefined) return;
  process.kill(pid, 'SIGKILL');
  while (lifeOf(pid) !== undefined) await sleep(10);
}

async function write(uri: string, text: string): Promise<void> {
  const client = new MongoClient(uri);
  try {
    await client.withSession((session) =>
      session.withTransaction(() => client.db('test').collection('notes').insertOne({ text }, { session })),
    );
  } finally {
    await client.close();
  }
}

async function read(uri: string): Promise<string[]> {
  const client = new MongoClient(uri);
  try {
    const notes = await client.db('test').collection<{ text: string }>('notes').find().toArray();
    return notes.map(({ text }) => text);
  } finally {
    await client.close();
  }
}
