import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { DEMO_USER } from '../../src/demo/principals.ts';
import { freePort } from '../../src/embedded-mongod/mongod.ts';
import { dropDatabase } from '../drop-database.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'exchange-workers-'));
const configFile = join(folder, 'config.json');
const database = `test_${newId().replaceAll('-', '')}`;
/** While this file exists, a starting process gets no further, and hears nothing it is told. */
const startsHang = join(folder, 'starts-hang');
const HANGING_START = `import { existsSync } from 'node:fs'; while (existsSync('${startsHang}')) await new Promise((go) => setTimeout(go, 100));`;
/** SIGUSR2 sets a process's clock back by an hour. */
const CLOCK = `const { now } = Date; process.on('SIGUSR2', () => { Date.now = () => now() - 3_600_000; });`;
const STARTS = `--import data:text/javascript,${encodeURIComponent(HANGING_START + CLOCK)}`;
let primary: ChildProcess;
let url = '';

const { BASE_URL: _vite, ...env } = process.env;

beforeAll(async () => {
  const settings = { MONGODB_DATABASE: database, ENVIRONMENT: 'demo', WORKERS: 2, PORT: 0 };
  writeFileSync(configFile, JSON.stringify(settings));
  primary = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env: { ...env, MONGODB_URI: inject('mongoUri'), CONFIG_FILE: configFile, NODE_OPTIONS: STARTS },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const chunk of primary.stdout ?? []) {
    said += chunk;
    url = /Ready: .* serves (http:\S+)/.exec(said)?.[1] ?? '';
    if (url) break;
  }
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  if (primary.exitCode === null) primary.kill('SIGKILL');
  const client = await MongoClient.connect(inject('mongoUri'));
  await dropDatabase(client.db(database));
  await client.close();
});

const workersOf = ({ pid }: ChildProcess): number[] =>
  execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(pid)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('worker.ts'))
    .map((line) => Number(line.trim().split(' ')[0]));
const workers = () => workersOf(primary);

const ask = (key: string) =>
  fetch(`${url}/workspaces`, { headers: { Authorization: `Bearer ${key}`, Connection: 'close' } }).then(
    ({ status }) => status,
  );

describe('WORKERS=2', () => {
  it('serves one port with two processes', async () => {
    expect(workers()).toHaveLength(2);
    expect(await Promise.all(Array.from({ length: 12 }, () => ask('demo-client-key')))).toEqual(Array(12).fill(200));
  });

  it.concurrent('makes every process refuse a revoked key within 5 seconds', async () => {
    const client = await MongoClient.connect(inject('mongoUri'));
    await Promise.all(Array.from({ length: 12 }, () => ask('demo-vendor-key')));
    await client
      .db(database)
      .collection('principals')
      .updateOne({ name: /vendor/ }, { $set: { revoked_at: new Date() } });
    await client.close();
    await sleep(5_000);
    expect(await Promise.all(Array.from({ length: 12 }, () => ask('demo-vendor-key')))).toEqual(Array(12).fill(401));
  });

  it.concurrent('makes every process refuse a signed-out session within 5 seconds', async () => {
    const address = `${url}/api/rest/1.0/session`;
    const begun = await fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: DEMO_USER.username, password: DEMO_USER.password }),
    });
    const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
    const headers = { Cookie: cookie, Connection: 'close' };
    const statuses = () =>
      Promise.all(Array.from({ length: 12 }, async () => (await fetch(`${url}/workspaces`, { headers })).status));
    expect(await statuses()).toEqual(Array(12).fill(200));
    expect(
      (await fetch(address, { method: 'DELETE', headers: { ...headers, 'X-Requested-With': 'test' } })).status,
    ).toBe(204);
    await sleep(5_000);
    expect(await statuses()).toEqual(Array(12).fill(401));
  });

  it('replaces a killed process, even if the settings file has become invalid and the clock was set back', async () => {
    writeFileSync(configFile, 'PORT: nowhere');
    primary.kill('SIGUSR2');
    const [victim] = workers();
    process.kill(victim ?? 0, 'SIGKILL');
    // A connection just handed to it may be lost with it.
    const inTime = () => Promise.race([ask('demo-client-key').catch(() => 0), sleep(3_000, 0)]);
    await expect.poll(inTime, { timeout: 40_000 }).toBe(200);
    await expect.poll(() => workers().filter((pid) => pid !== victim).length, { timeout: 40_000 }).toBe(2);
    expect(workers()).not.toContain(victim);
  });

  it('ends all processes on SIGTERM with exit code 0, including one just starting', async () => {
    writeFileSync(startsHang, '');
    const before = workers();
    process.kill(before[0] ?? 0, 'SIGKILL');
    const begun = () => workers().filter((pid) => !before.includes(pid));
    await expect.poll(() => begun().length, { timeout: 40_000 }).toBe(1);
    const pids = workers();
    const exited = once(primary, 'exit');
    primary.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow();
  });
});

it('WORKERS=3 replaces a process that served and died before the others did, as often as needed', async () => {
  const first = join(folder, 'first');
  writeFileSync(startsHang, '');
  const only = `import cluster from 'node:cluster'; import { existsSync, writeFileSync } from 'node:fs';
    const wait = async () => { while (existsSync('${startsHang}')) await new Promise((go) => setTimeout(go, 100)); };
    if (cluster.isWorker) try { writeFileSync('${first}', String(process.pid), { flag: 'wx' }); } catch { await wait(); }`;
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(only)}`;
  const PORT = await freePort();
  const settings = { MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: database, WORKERS: '3', PORT: String(PORT) };
  const child = spawn(process.execPath, ['src/main.ts'], { cwd: root, env: { ...env, ...settings, NODE_OPTIONS } });
  onTestFinished(() => void child.kill());
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const health = `http://127.0.0.1:${PORT}/bridge/v1/health`;
  const isServed = () =>
    fetch(health).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isServed, { timeout: 60_000 }).toBe(true);
  const others = workersOf(child).filter((pid) => pid !== Number(readFileSync(first, 'utf8')));
  const killed: number[] = [];
  const next = () => workersOf(child).find((pid) => !others.includes(pid) && !killed.includes(pid));
  for (const _ of ['the one that served', 'the one in its place']) {
    await expect.poll(next, { timeout: 60_000 }).toBeDefined();
    killed.push(next() ?? 0);
    process.kill(killed.at(-1) ?? 0, 'SIGKILL');
  }
  await expect.poll(next, { timeout: 60_000 }).toBeDefined();
  expect(said).not.toContain('Ready:');
  rmSync(startsHang);
  await expect.poll(() => said, { timeout: 60_000 }).toContain('Ready:');
  expect(workersOf(child)).toHaveLength(3);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it('WORKERS=2 stops at once when told to while its processes begin to listen, without failing their start', async () => {
  const listens = `import cluster from 'node:cluster'; import { Server } from 'node:net';
    const { listen } = Server.prototype;
    if (cluster.isWorker) Server.prototype.listen = function (...given) {
      console.log('Listens'); setTimeout(() => listen.apply(this, given), 2_000); return this; };`;
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(listens)}`;
  const settings = { MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: database, WORKERS: '2', PORT: '0' };
  const child = spawn(process.execPath, ['src/main.ts'], { cwd: root, env: { ...env, ...settings, NODE_OPTIONS } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  await expect.poll(() => said, { timeout: 60_000 }).toContain('Listens');
  const asked = performance.now();
  child.kill('SIGTERM');
  expect(await ended, said).toEqual([0, null]);
  expect(performance.now() - asked).toBeLessThan(13_000); // after 14 s they are ended by force
});

it("WORKERS=2 exits with code 1 when MongoDB is unreachable, though starting workers' metrics are read", async () => {
  const METRICS_PORT = String(await freePort());
  const settings = { MONGODB_URI: 'mongodb://127.0.0.1:1/', WORKERS: '2', PORT: '0', METRICS_PORT };
  const child = spawn(process.execPath, ['src/main.ts'], { cwd: root, env: { ...env, ...settings } });
  onTestFinished(() => void child.kill());
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  const scrapes: Promise<boolean>[] = [];
  const scrape = async (): Promise<boolean> => {
    const answer = await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`);
    return answer.ok && (await answer.text()).includes('target_info');
  };
  const timer = setInterval(() => scrapes.push(scrape().catch(() => false)), 100);
  const isAnswered = async () => (await Promise.all(scrapes)).includes(true);
  await expect.poll(isAnswered, { timeout: 60_000 }).toBe(true);
  clearInterval(timer);
  const [said, complaint, [code]] = await ended;
  expect([code, said]).toEqual([1, '']);
  expect(complaint).toMatch(/MongoDB at 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/);
});
