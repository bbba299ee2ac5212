import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_USER } from '../src/demo/principals.ts';
import { findMongod } from '../src/embedded-mongod/binary.ts';
import { holderOf } from '../src/embedded-mongod/lock.ts';
import { projectCacheDir as cacheDir } from '../src/embedded-mongod/server.ts';
import { EventClient } from './event-client.ts';

const main = join(import.meta.dirname, '..', 'src', 'main.ts');
// Vite sets a BASE_URL of its own.
const { BASE_URL: _url, MONGODB_URI: _uri, ...inherited } = process.env;
const headers = { authorization: 'Bearer demo-client-key', 'content-type': 'application/json' };

interface Gateway {
  readonly child: ChildProcess;
  readonly url: string;
  readonly lines: readonly string[];
}

let folder: string;
let running: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'exchange-restart-'));
});
afterEach(async () => {
  if (running?.exitCode === null && running.signalCode === null) {
    running.kill('SIGTERM');
    await once(running, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

async function start(settings: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  const env = { ...inherited, DATA_DIR: join(folder, 'data'), PORT: '0', ...settings };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  running = child;
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  const ready = () => /Ready: .* serves (http:\S+)/.exec(lines.join('\n'))?.[1];
  await expect.poll(ready, { timeout: 30_000 }).toBeDefined();
  return { child, url: ready() ?? '', lines };
}

const mongodPid = (): number => Number(readFileSync(join(folder, 'data', 'db', 'mongod.lock'), 'utf8'));
const says = ({ lines }: Gateway, text: string, timeout = 20_000) =>
  expect.poll(() => lines.some((line) => line.includes(text)), { timeout }).toBe(true);

/** A mongod that works until a file `broken` lies beside it: then it does what that file says. */
async function brittleMongod(): Promise<string> {
  const { path } = await findMongod({ cacheDir, env: process.env, log: () => {} });
  const file = join(folder, 'mongod');
  const broken = join(folder, 'broken');
  const script = `[ "$1" != --version ] && [ -e '${broken}' ] && . '${broken}'\nexec '${path}' "$@"`;
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}
const breakMongod = (script: string): void => writeFileSync(join(folder, 'broken'), script);

describe('a gateway of two processes whose embedded mongod is killed under load, and ended', () => {
  it('goes on by itself within 10 seconds, with sessions and subscriptions, and loses nothing that it answered with 201', async () => {
    const gateway = await start({ WORKERS: '2' });
    const { url, child } = gateway;
    const [{ id: workspace }] = (await (await fetch(`${url}/workspaces`, { headers })).json()) as [{ id: string }];
    const signIn = await fetch(`${url}/api/rest/1.0/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: DEMO_USER.username, password: DEMO_USER.password }),
    });
    const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const client = await EventClient.open({ url }, { variables: { workspace } });
    await says(gateway, 'this process records events');

    const created = new Set<string>();
    const others = new Set<number>();
    let stopped = false;
    let lastSuccess = 0;
    const busy = Array.from({ length: 6 }, async () => {
      while (!stopped && child.exitCode === null) {
        const answer = await fetch(`${url}/workspaces/${workspace}/jobs`, { method: 'POST', headers, body: '{}' });
        const { id } = (await answer.json()) as { id: string };
        if (answer.status !== 201) others.add(answer.status);
        else {
          created.add(id);
          lastSuccess = Date.now();
        }
        await sleep(5);
      }
    });
    try {
      for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
        await sleep(1_000);
        const before = mongodPid();
        const killed = Date.now();
        process.kill(before, signal);
        await expect.poll(() => mongodPid() > 0 && mongodPid() !== before, { timeout: 10_000 }).toBe(true);
        const another = Date.now();
        await expect.poll(() => lastSuccess > another, { timeout: 15_000 }).toBe(true);
        expect(lastSuccess - killed).toBeLessThan(10_000);
      }
    } finally {
      stopped = true;
      await Promise.allSettled(busy);
    }
    expect([...others].filter((status) => status !== 503)).toEqual([]);
    expect(child.exitCode).toBeNull();
    const seen = () => client.messages.flatMap(({ data }) => data?.data?.documentChanged?.documentId ?? []);
    await expect.poll(() => [...created].filter((id) => !seen().includes(id)), { timeout: 20_000 }).toEqual([]);
    expect(new Set(seen()).size).toBe(seen().length);
    client.close();
    const stored = await Promise.all(
      [...created].map((id) => fetch(`${url}/workspaces/${workspace}/jobs/${id}`, { headers })),
    );
    expect(stored.filter(({ status }) => status !== 200)).toEqual([]);
    expect((await fetch(`${url}/workspaces`, { headers: { cookie } })).status).toBe(200);
    expect(gateway.lines.filter((line) => line.includes('the embedded mongod runs again'))).toHaveLength(2);
  }, 90_000);
});

describe('a gateway whose embedded mongod does not start again', () => {
  it('gives up after eight tries, with code 1 and the last words of mongod, and leaves the data folder free', async () => {
    const gateway = await start({ MONGOD_BINARY: await brittleMongod() });
    const words = '{"s":"E","msg":"WiredTiger error message","attr":{"error":"No space left on device"}}';
    breakMongod(`echo '${words}' >> '${join(folder, 'data', 'mongod.log')}'; exit 100`);
    process.kill(mongodPid(), 'SIGKILL');
    await says(gateway, 'the embedded mongod was ended by SIGKILL; it is started again');
    const answer = await fetch(`${gateway.url}/workspaces`, { headers });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await once(gateway.child, 'exit')).toEqual([1, null]);
    const log = gateway.lines.join('\n');
    expect(log.match(/could not be started again: /g)).toHaveLength(7);
    expect(log).toMatch(
      /"level":60.*could not be started again 8 times in a row: .* ended with code 100: WiredTiger error message: No space left on device \(its log: .*mongod\.log\); the service stops/,
    );
    expect(holderOf(join(folder, 'data'))).toBeUndefined();
  }, 60_000);

  it('stops in order when it is asked to meanwhile', async () => {
    const gateway = await start({ MONGOD_BINARY: await brittleMongod() });
    breakMongod('exec sleep 100');
    process.kill(mongodPid(), 'SIGKILL');
    await says(gateway, 'it is started again');
    await sleep(300);
    const asked = Date.now();
    gateway.child.kill('SIGTERM');
    expect(await once(gateway.child, 'exit')).toEqual([0, null]);
    expect(Date.now() - asked).toBeLessThan(10_000);
    expect(holderOf(join(folder, 'data'))).toBeUndefined();
  }, 60_000);
});
