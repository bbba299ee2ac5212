// Takes some seconds: an embedded mongod is started and made to hang.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectCacheDir as cacheDir, startEmbedded } from '../../src/embedded-mongod/server.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const { BASE_URL: _vite, ...inherited } = process.env;

it('the process is live while it stops or its database hangs, but not ready', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'exchange-probes-'));
  const database = await startEmbedded({ dataDir, cacheDir, env: process.env, log: () => {} });
  const mongod = Number(readFileSync(join(dataDir, 'db', 'mongod.lock'), 'utf8'));
  const env = { ...inherited, MONGODB_URI: database.uri, ENVIRONMENT: 'production', PORT: '0', DRAIN_SECONDS: '6' };
  const child = spawn(process.execPath, [main], {
    env: { ...env, METRICS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    const address = () => /Ready: .* serves (http:\S+)/.exec(said)?.[1];
    await expect.poll(address, { timeout: 90_000 }).toBeDefined();
    expect(said).not.toContain('Metrics');
    const probe = async (path: string) => {
      const answer = await fetch(`${address()}${path}`);
      return [answer.status, await answer.json()];
    };
    expect(await probe('/livez')).toEqual([200, { status: 'ok' }]);
    expect(await probe('/readyz')).toEqual([200, { status: 'ok' }]);

    process.kill(mongod, 'SIGSTOP');
    const reason = expect.stringMatching(/^The (meta)?data store is not (writ|read)able\.$/);
    const silent = async () => await probe('/readyz');
    await expect.poll(silent).toEqual([503, { status: 'unavailable', reason }]);
    expect(await probe('/livez')).toEqual([200, { status: 'ok' }]);
    process.kill(mongod, 'SIGCONT');
    await expect.poll(() => probe('/readyz')).toEqual([200, { status: 'ok' }]);

    child.kill('SIGTERM');
    const stopping = [503, { status: 'unavailable', reason: 'The service is stopping.' }];
    await expect.poll(() => probe('/readyz')).toEqual(stopping);
    expect(await probe('/livez')).toEqual([200, { status: 'ok' }]);
    expect((await fetch(`${address()}/bridge/v1/health`)).status).toBe(200);
    expect(await once(child, 'exit')).toEqual([0, null]);
  } finally {
    if (child.exitCode === null) child.kill('SIGKILL');
    process.kill(mongod, 'SIGCONT');
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
