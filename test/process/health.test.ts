import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { projectCacheDir as cacheDir, type Embedded, startEmbedded } from '../../src/embedded-mongod/server.ts';
import { type Service, startService } from '../../src/service.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'exchange-health-'));
let database: Embedded;
let service: Service;

const startDatabase = () => startEmbedded({ dataDir, cacheDir, env: process.env, log: () => {} });
const health = async () => {
  const answer = await fetch(`${service.url}/bridge/v1/health`, { signal: AbortSignal.timeout(5_000) });
  return [answer.status, await answer.json()];
};

beforeAll(async () => {
  database = await startDatabase();
  const config = readConfig({ PORT: '0', ENVIRONMENT: 'production' });
  service = await startService({ config, uri: database.uri, log: pino({ level: 'silent' }) });
});

afterAll(async () => {
  await service.stop();
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('health while the database goes away', () => {
  const healthy = [200, { transport: 'healthy', metadataStore: 'healthy', dataStore: 'healthy' }];

  it('is good, then 503 within five seconds, and good again once the database is back', async () => {
    expect(await health()).toEqual(healthy);
    await database.stop();
    const gone = [503, { transport: 'healthy', metadataStore: 'not writable', dataStore: 'not readable' }];
    await expect.poll(health).toEqual(gone);
    database = await startDatabase();
    await expect.poll(health, { timeout: 60_000, interval: 200 }).toEqual(healthy);
  });

  it('is current even after the clock was set back', async () => {
    expect(await health()).toEqual(healthy);
    const { now } = Date;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
    onTestFinished(() => clock.mockRestore());
    await database.stop();
    await expect.poll(async () => (await health())[0], { timeout: 20_000 }).toBe(503);
    database = await startDatabase();
    await expect.poll(health, { timeout: 60_000, interval: 200 }).toEqual(healthy);
  });
});
