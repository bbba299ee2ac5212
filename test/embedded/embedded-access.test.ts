import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findMongod } from '../../src/embedded-mongod/binary.ts';
import { freePort } from '../../src/embedded-mongod/mongod.ts';
import { projectCacheDir as cacheDir, type Embedded, startEmbedded } from '../../src/embedded-mongod/server.ts';
import { connectStores } from '../../src/store/stores.ts';

const cli = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const TENANT = '0190a000-0000-7000-8000-00000000d001';
let dataDir: string;
let database: Embedded | undefined;

const start = async (): Promise<Embedded> => {
  database = await startEmbedded({ dataDir, cacheDir, env: process.env, log: () => {} });
  return database;
};
const stop = async (): Promise<void> => {
  await database?.stop();
  database = undefined;
};
const password = (): string => readFileSync(join(dataDir, 'mongod.password'), 'utf8');
const portOf = ({ uri }: Embedded): number => Number(/:(\d+)\/\?/.exec(uri)?.[1]);

async function withClient<T>(uri: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 5_000 });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
const notes = (uri: string): Promise<unknown[]> =>
  withClient(uri, (client) => client.db('test').collection('notes').find().toArray());
const refused = { code: 13, message: expect.stringContaining('requires authentication') };

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'exchange-access-'));
});
afterEach(async () => {
  await stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('the embedded mongod', () => {
  it('refuses whoever has no password: to read, to write, to make a user, to become one of its replica set', async () => {
    const stranger = `mongodb://127.0.0.1:${portOf(await start())}/?directConnection=true`;
    await withClient(stranger, async (client) => {
      const admin = client.db('admin');
      await expect(client.db('inspection_exchange').collection('principals').findOne()).rejects.toMatchObject(refused);
      await expect(client.db('test').collection('notes').insertOne({})).rejects.toMatchObject(refused);
      await expect(admin.command({ createUser: 'x', pwd: 'x', roles: ['root'] })).rejects.toMatchObject(refused);
      await expect(admin.command({ replSetGetConfig: 1 })).rejects.toMatchObject(refused);
      await expect(admin.command({ shutdown: 1 })).rejects.toMatchObject(refused);
    });
    for (const name of ['exchange', '__system']) {
      const guess = stranger.replace('//', `//${name}:guess@`);
      await expect(withClient(guess, (client) => client.connect())).rejects.toThrow('Authentication failed');
    }
  });

  it('agrees on no compression with a client that offers zlib', async () => {
    const { uri } = await start();
    await withClient(`${uri}&compressors=zlib,snappy,zstd`, async (client) => {
      const hello = await client.db('admin').command({ hello: 1, compression: ['zlib', 'snappy', 'zstd'] });
      expect(hello.ok).toBe(1);
      expect(hello.compression).toBeUndefined();
    });
  });

  it('keeps its password in a file for the owner alone, and out of its arguments and its log', async () => {
    const { pid, uri } = await start();
    expect(password()).toMatch(/^[0-9a-f]{64}$/);
    expect(uri).toContain(password());
    expect(statSync(join(dataDir, 'mongod.password')).mode & 0o777).toBe(0o600);
    expect(execFileSync('ps', ['-p', String(pid), '-o', 'args='], { encoding: 'utf8' })).not.toContain(password());
    expect(readFileSync(join(dataDir, 'mongod.log'), 'utf8')).not.toContain(password());
    expect(readFileSync(join(dataDir, 'gateway.lock'), 'utf8')).not.toContain(password());
  });

  it('is found by the command line, which does not show the password', async () => {
    await connectStores({ uri: (await start()).uri, database: 'inspection_exchange' }).then((stores) => stores.close());
    const { MONGODB_URI: _uri, BASE_URL: _url, ...env } = process.env;
    const run = (args: string[]) =>
      promisify(execFile)(process.execPath, [cli, ...args], { env: { ...env, DATA_DIR: dataDir } });
    const { stdout } = await run(['doctor']);
    expect(stdout).toMatch(/^MongoDB +\d.*embedded \(mongodb:\/\/exchange@127.*, password in .*mongod\.password\)$/m);
    expect(stdout).not.toContain(password());
    expect((await run(['keys', 'list', '--tenant', TENANT])).stderr).not.toContain(password());
    const right = password();
    rmSync(join(dataDir, 'mongod.password'));
    const failure = await run(['keys', 'list', '--tenant', TENANT]).catch((error: { stderr: string }) => error);
    expect(failure.stderr).toMatch(/password|[Aa]uthentication/);
    expect(failure.stderr).not.toContain(right);
  });
});

describe('a data folder', () => {
  it('of a version without a password gets one at the next start, and keeps its data', async () => {
    const { path } = await findMongod({ cacheDir, env: process.env, log: () => {} });
    const port = await freePort();
    mkdirSync(join(dataDir, 'db'));
    const args = ['--dbpath', join(dataDir, 'db'), '--port', String(port), '--replSet', 'embedded', '--nounixsocket'];
    const child = execFile(path, [...args, '--bind_ip', '127.0.0.1', '--logpath', join(dataDir, 'mongod.log')]);
    const open = `mongodb://127.0.0.1:${port}/?directConnection=true`;
    await withClient(open, async (client) => {
      const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
      await client.db('admin').command({ replSetInitiate: { _id: 'embedded', members } });
      const primary = async () => (await client.db('admin').command({ hello: 1 })).isWritablePrimary;
      await expect.poll(primary, { timeout: 10_000 }).toBe(true);
      const collection = client.db('test').collection('notes');
      await collection.insertOne({ text: 'old' }, { writeConcern: { w: 'majority' } });
    });
    child.kill('SIGKILL');
    const { uri } = await start();
    expect(await notes(uri)).toMatchObject([{ text: 'old' }]);
    await expect(notes(open.replace(String(port), String(portOf({ uri } as Embedded))))).rejects.toMatchObject(refused);
  });

  it('whose start was cut off before there was a user, or whose password was lost, gets a user at the next start', async () => {
    const first = await start();
    await withClient(first.uri, async (client) => {
      await client.db('test').collection('notes').insertOne({ text: 'kept' });
      await client.db('admin').command({ dropUser: 'exchange' });
    });
    await stop();
    expect(await notes((await start()).uri)).toMatchObject([{ text: 'kept' }]);
    const before = password();
    await stop();
    rmSync(join(dataDir, 'mongod.password'));
    expect(await notes((await start()).uri)).toMatchObject([{ text: 'kept' }]);
    expect(password()).not.toBe(before);
    await stop();
    chmodSync(join(dataDir, 'mongod.password'), 0o644);
    expect(await notes((await start()).uri)).toMatchObject([{ text: 'kept' }]);
    expect(statSync(join(dataDir, 'mongod.password')).mode & 0o777).toBe(0o600);
  });
});
