import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { describe, expect, it, vi } from 'vitest';
import { findMongod } from '../../src/embedded-mongod/binary.ts';
import { freePort } from '../../src/embedded-mongod/mongod.ts';
import { projectCacheDir as cacheDir, type Embedded, startEmbedded } from '../../src/embedded-mongod/server.ts';
import { connectStores } from '../../src/store/stores.ts';

const cli = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const TENANT = '0190a000-0000-7000-8000-00000000d001';

/** A data folder, and the embedded MongoDB last started on it; both are gone after a test. */
class DataFolder implements AsyncDisposable {
  readonly path = mkdtempSync(join(tmpdir(), 'exchange-access-'));
  readonly passwordFile = join(this.path, 'mongod.password');
  #database: Embedded | undefined;

  async start(): Promise<Embedded> {
    this.#database = await startEmbedded({ dataDir: this.path, cacheDir, env: process.env, log: () => {} });
    return this.#database;
  }

  async stop(): Promise<void> {
    await this.#database?.stop();
    this.#database = undefined;
  }

  password(): string {
    return readFileSync(this.passwordFile, 'utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.path, { recursive: true, force: true });
  }
}
const portOf = ({ uri }: Embedded): number => Number(/:(\d+)\/\?/.exec(uri)?.[1]);

async function withClient<T>(uri: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 30_000 });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
const notes = (uri: string): Promise<unknown[]> =>
  withClient(uri, (client) => client.db('test').collection('notes').find().toArray());
const refused = { code: 13, message: expect.stringContaining('requires authentication') };

describe.concurrent('the embedded mongod', () => {
  it('refuses anyone without the password: to read, write, create a user, or join its replica set', async () => {
    await using folder = new DataFolder();
    const stranger = `mongodb://127.0.0.1:${portOf(await folder.start())}/?directConnection=true`;
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

  it('negotiates no compression with a client that offers zlib', async () => {
    await using folder = new DataFolder();
    const { uri } = await folder.start();
    await withClient(`${uri}&compressors=zlib,snappy,zstd`, async (client) => {
      const hello = await client.db('admin').command({ hello: 1, compression: ['zlib', 'snappy', 'zstd'] });
      expect(hello.ok).toBe(1);
      expect(hello.compression).toBeUndefined();
    });
  });

  it('keeps its password in an owner-only file, and out of its arguments and log', async () => {
    await using folder = new DataFolder();
    const { pid, uri } = await folder.start();
    expect(folder.password()).toMatch(/^[0-9a-f]{64}$/);
    expect(uri).toContain(folder.password());
    expect(statSync(folder.passwordFile).mode & 0o777).toBe(0o600);
    expect(execFileSync('ps', ['-p', String(pid), '-o', 'args='], { encoding: 'utf8' })).not.toContain(
      folder.password(),
    );
    expect(readFileSync(join(folder.path, 'mongod.log'), 'utf8')).not.toContain(folder.password());
    expect(readFileSync(join(folder.path, 'gateway.lock'), 'utf8')).not.toContain(folder.password());
  });

  it('is found by the command line, without showing the password', async () => {
    await using folder = new DataFolder();
    await connectStores({ uri: (await folder.start()).uri, database: 'inspection_exchange' }).then((stores) =>
      stores.close(),
    );
    const { MONGODB_URI: _uri, BASE_URL: _url, ...env } = process.env;
    const run = (args: string[]) =>
      promisify(execFile)(process.execPath, [cli, ...args], { env: { ...env, DATA_DIR: folder.path } });
    const { stdout } = await run(['doctor']);
    expect(stdout).toMatch(/^MongoDB +\d.*embedded \(mongodb:\/\/exchange@127.*, password in .*mongod\.password\)$/m);
    expect(stdout).not.toContain(folder.password());
    expect((await run(['keys', 'list', '--tenant', TENANT])).stderr).not.toContain(folder.password());
    const right = folder.password();
    rmSync(folder.passwordFile);
    const failure = await run(['keys', 'list', '--tenant', TENANT]).catch((error: { stderr: string }) => error);
    expect(failure.stderr).toMatch(/password|[Aa]uthentication/);
    expect(failure.stderr).not.toContain(right);
  });
});

describe.concurrent('a data folder', () => {
  it('of a version without a password gets one at the next start, and keeps its data', async () => {
    await using folder = new DataFolder();
    const { path } = await findMongod({ cacheDir, env: process.env, log: () => {} });
    const port = await freePort();
    mkdirSync(join(folder.path, 'db'));
    const args = [
      '--dbpath',
      join(folder.path, 'db'),
      '--port',
      String(port),
      '--replSet',
      'embedded',
      '--nounixsocket',
    ];
    const child = execFile(path, [...args, '--bind_ip', '127.0.0.1', '--logpath', join(folder.path, 'mongod.log')]);
    const open = `mongodb://127.0.0.1:${port}/?directConnection=true`;
    const answers = () => withClient(open, (client) => client.db('admin').command({ ping: 1 }));
    await vi.waitFor(answers, { timeout: 90_000 }); // on a busy machine, it is late to listen
    await withClient(open, async (client) => {
      const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
      await client.db('admin').command({ replSetInitiate: { _id: 'embedded', members } });
      const primary = async () => (await client.db('admin').command({ hello: 1 })).isWritablePrimary;
      await vi.waitFor(async () => expect(await primary()).toBe(true), { timeout: 20_000 });
      const collection = client.db('test').collection('notes');
      await collection.insertOne({ text: 'old' }, { writeConcern: { w: 'majority' } });
    });
    child.kill('SIGKILL');
    const { uri } = await folder.start();
    expect(await notes(uri)).toMatchObject([{ text: 'old' }]);
    await expect(notes(open.replace(String(port), String(portOf({ uri } as Embedded))))).rejects.toMatchObject(refused);
  });

  it('whose start was cut off before there was a user, or whose password was lost, gets a user at the next start', async () => {
    await using folder = new DataFolder();
    const first = await folder.start();
    await withClient(first.uri, async (client) => {
      await client.db('test').collection('notes').insertOne({ text: 'kept' });
      await client.db('admin').command({ dropUser: 'exchange' });
    });
    await folder.stop();
    expect(await notes((await folder.start()).uri)).toMatchObject([{ text: 'kept' }]);
    const before = folder.password();
    await folder.stop();
    rmSync(folder.passwordFile);
    expect(await notes((await folder.start()).uri)).toMatchObject([{ text: 'kept' }]);
    expect(folder.password()).not.toBe(before);
    await folder.stop();
    chmodSync(folder.passwordFile, 0o644);
    expect(await notes((await folder.start()).uri)).toMatchObject([{ text: 'kept' }]);
    expect(statSync(folder.passwordFile).mode & 0o777).toBe(0o600);
  });
});
