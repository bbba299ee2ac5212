import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { DEMO, SESSION, trySignIn } from '../../auth/sign-in.ts';
import { startTestService, type TestService } from '../../service.ts';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.ts';

const HOUR_MS = 3_600_000;
const LIMIT = { RATE_LIMIT_PER_MINUTE: '20' };

/** The clock of the other gateway is right. */
let right: TestService;
let wrong: GatewayProcess;

const startWithClock = (aheadMs: number): Promise<GatewayProcess> =>
  startGatewayProcess(inject('mongoUri'), right.stores.db.databaseName, {
    ...LIMIT,
    METRICS_PORT: '0',
    CLOCK_AHEAD_MS: String(aheadMs),
    NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'shifted-clock.ts'))}`,
  });

async function kill({ gateway }: GatewayProcess): Promise<void> {
  const exited = once(gateway, 'exit');
  if (gateway.kill('SIGKILL')) await exited;
}

describe('a gateway whose clock is an hour ahead', () => {
  beforeAll(async () => {
    right = await startTestService({ env: LIMIT });
    wrong = await startWithClock(HOUR_MS);
  });
  afterAll(async () => {
    await kill(wrong);
    await right.stop();
  });

  it('lets nobody wait longer than a minute for their requests elsewhere', async () => {
    const headers = { Authorization: 'Bearer demo-vendor-key' };
    const ask = async () => (await fetch(`${wrong.url}/v2/schemas`, { headers })).status;
    expect(new Set(await Promise.all(Array.from({ length: 25 }, ask)))).toEqual(new Set([200, 429]));
    const refused = await right.ask('GET', '/v2/schemas', { as: 'vendor' });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });

  it('lets nobody wait longer than 15 minutes to sign in elsewhere, and forgets no failures of others', async () => {
    const bad = { ...DEMO, password: 'wrong' };
    const failElsewhere = () => trySignIn(right, bad);
    const failHere = () =>
      fetch(wrong.url + SESSION, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(bad),
      });
    for (const fail of [failElsewhere, failHere]) {
      for (let time = 0; time < 5; time++) expect((await fail()).status).toBe(401);
    }
    for (const refused of [await trySignIn(right), await failHere()]) {
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(15 * 60);
    }
  });
});
