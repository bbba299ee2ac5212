// Takes 20 s: shutdown waits up to 15 s for a hanging MongoDB.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { describe, expect, inject, it, vi } from 'vitest';
import { holderOf } from '../../src/embedded-mongod/lock.ts';
import { projectCacheDir as cacheDir, startEmbedded } from '../../src/embedded-mongod/server.ts';
import { isRunning } from '../is-running.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const { BASE_URL: _vite, ...inherited } = process.env;

interface Gateway {
  readonly child: ChildProcess;
  readonly url: string;
  lines(): string;
}

function spawnGateway(settings: Readonly<Record<string, string>>) {
  const env = { ...inherited, ENVIRONMENT: 'demo', PORT: '0', MONGODB_DATABASE: `test_${newId()}`, ...settings };
  return spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

async function startGateway(settings: Readonly<Record<string, string>>): Promise<Gateway> {
  const child = spawnGateway(settings);
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const address = () => /Ready: .* serves (http:\S+)/.exec(said)?.[1];
  await vi.waitFor(() => expect(address()).toBeDefined(), { timeout: 90_000 });
  return { child, url: address() ?? '', lines: () => said };
}

/** Sends the signal; returns the outcome and the milliseconds it took. */
async function stop({ child, lines }: Gateway) {
  const asked = performance.now();
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  return { code, ms: performance.now() - asked, said: lines() };
}

const folder = () => mkdtempSync(join(tmpdir(), 'exchange-stop-'));
const pidIn = (dataDir: string) => Number(readFileSync(join(dataDir, 'db', 'mongod.lock'), 'utf8'));

describe.concurrent('a shutdown by SIGTERM', () => {
  it.each([['1'], ['2']])(
    'completes in 15 s when MongoDB hangs, with WORKERS=%s',
    { timeout: 150_000 },
    async (WORKERS) => {
      const dataDir = folder();
      const database = await startEmbedded({ dataDir, cacheDir, env: process.env, log: () => {} });
      const mongod = pidIn(dataDir);
      try {
        const gateway = await startGateway({ MONGODB_URI: database.uri, WORKERS });
        const headers = { authorization: 'Bearer demo-client-key' };
        const webhook = await fetch(`${gateway.url}/v2/webhooks`, {
          method: 'POST',
          headers: { authorization: 'Bearer demo-admin-key', 'content-type': 'application/json' },
          body: JSON.stringify({ url: 'http://127.0.0.1:1/' }),
        });
        expect(webhook.status).toBe(201);
        await sleep(2_000); // its deliveries have begun
        process.kill(mongod, 'SIGSTOP');
        void fetch(`${gateway.url}/workspaces`, { headers }).catch(() => undefined);
        await sleep(500);
        const { code, ms, said } = await stop(gateway);
        if (process.env.SHOW) console.log(WORKERS, code, ms, said.slice(-2500));
        expect(ms).toBeLessThan(25_000); // 15 s, and slack for a busy machine to end two processes
        expect([code, /no longer for: .*MongoDB|"stopped"/.test(said)]).toEqual([code, true]);
        expect(said).not.toMatch(/no longer for: .*(deliveries|projector)/);
      } finally {
        process.kill(mongod, 'SIGCONT');
        await database.stop();
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
  );

  it('completes soon when its embedded mongod got the same signal and its data folder is gone', {
    timeout: 150_000,
  }, async () => {
    const dataDir = folder();
    const gateway = await startGateway({ MONGODB_URI: '', DATA_DIR: dataDir });
    const mongod = pidIn(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
    if (isRunning(mongod)) process.kill(mongod, 'SIGTERM'); // without its files it may have ended by itself
    const { ms, code, said } = await stop(gateway);
    if (process.env.SHOW) console.log('gone', code, ms, said.slice(-1500));
    expect(ms).toBeLessThan(35_500);
    expect(said).toContain('"stopped"');
    expect(isRunning(mongod)).toBe(false);
  });

  it('ends an embedded mongod that is still starting, with a note for the next gateway meanwhile, and frees its folder', {
    timeout: 150_000,
  }, async () => {
    const dataDir = folder();
    const child = spawnGateway({ MONGODB_URI: '', DATA_DIR: dataDir });
    child.stdout.resume();
    const exited = once(child, 'exit');
    const polling = { timeout: 60_000, interval: 5 };
    const mongod = await vi.waitFor(() => pidIn(dataDir) || Promise.reject(new Error('no mongod yet')), polling);
    process.kill(mongod, 'SIGSTOP'); // its start takes until it resumes
    child.kill('SIGTERM');
    try {
      await vi.waitFor(() => expect(holderOf(dataDir)?.stopping).toBeDefined(), polling);
    } finally {
      process.kill(mongod, 'SIGCONT');
    }
    expect(await exited).toEqual([0, null]);
    expect(isRunning(mongod)).toBe(false);
    expect(existsSync(join(dataDir, 'gateway.lock'))).toBe(false);
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('is not delayed by subscriptions abandoned within milliseconds', async () => {
    const gateway = await startGateway({ MONGODB_URI: inject('mongoUri') });
    const { port } = new URL(gateway.url);
    const body = JSON.stringify({ query: 'subscription { documentChanged { id } }' });
    const head =
      'POST /graphql HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer demo-client-key\r\nAccept: text/event-stream\r\n' +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    for (let i = 0; i < 300; i += 1) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      await once(socket, 'connect');
      socket.write(head);
      await sleep(i % 12);
      socket.destroy();
    }
    const { code, ms, said } = await stop(gateway);
    if (process.env.SHOW) console.log('abandoned', code, ms, said.slice(-600));
    expect(code).toBe(0);
    expect(ms).toBeLessThan(9_000); // anything that delays shutdown delays it by ten
  });
});
