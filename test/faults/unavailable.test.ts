import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { projectCacheDir as cacheDir, type Embedded, startEmbedded } from '../../src/embedded-mongod/server.ts';
import { type Service, startService } from '../../src/service.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'exchange-unavailable-'));
const authorization = 'Bearer demo-client-key';
const logged: string[] = [];
let database: Embedded;
let service: Service;
let workspace: string;

const ask = async (method: string, path: string, body?: object, more: object = {}) => {
  const headers = { ...more, authorization, ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
};

beforeAll(async () => {
  database = await startEmbedded({ dataDir, cacheDir, env: process.env, log: () => {} });
  const config = readConfig({ PORT: '0', ENVIRONMENT: 'demo' });
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  service = await startService({ config, uri: database.uri, log });
  workspace = JSON.parse((await ask('GET', '/workspaces?limit=1')).text)[0].id;
});

afterAll(async () => {
  await service.stop();
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('a service whose database is gone', () => {
  it('answers 503 UNAVAILABLE with Retry-After in every family, also to requests in flight', async () => {
    const jobs = `/workspaces/${workspace}/jobs`;
    let stopped = false;
    const seen = new Set<string>();
    const busy = Array.from({ length: 8 }, async (_, i) => {
      while (!stopped) {
        const { status, text } =
          i % 2 ? await ask('POST', jobs, { notes: 'busy' }) : await ask('GET', `${jobs}?limit=50`);
        seen.add(status < 300 ? String(status) : `${status} ${JSON.parse(text).code}`);
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await database.stop();
    stopped = true;
    await Promise.all(busy);
    expect([...seen].filter((outcome) => !['200', '201', '503 UNAVAILABLE'].includes(outcome))).toEqual([]);

    const answers = await Promise.all([
      ask('GET', '/workspaces'),
      ask('POST', jobs, { notes: 'x' }),
      ask('GET', `${jobs}/${workspace}`),
      ask('DELETE', `/v2/workspaces/${workspace}`),
      ask('GET', '/v2/organizations'),
      ask('POST', jobs, { notes: 'x' }, { 'idempotency-key': 'k1' }),
    ]);
    for (const { status, retryAfter, text } of answers) {
      expect([status, JSON.parse(text).code]).toEqual([503, 'UNAVAILABLE']);
      expect(Number(retryAfter)).toBeGreaterThan(0);
      expect(text).not.toMatch(/mongo|ECONN|127\.0\.0\.1/i);
    }
    const graphql = await ask('POST', '/graphql', { query: '{ workspaces { totalCount } }' });
    expect([graphql.status, JSON.parse(graphql.text).errors[0].extensions.code]).toEqual([503, 'UNAVAILABLE']);
    expect(graphql.text).not.toMatch(/mongo|ECONN/i);
    expect(logged.join('')).toContain('ECONNREFUSED');
  });

  it('answers health with 503, and serves as ever what needs no database', async () => {
    const { status, text } = await ask('GET', '/bridge/v1/health');
    expect([status, JSON.parse(text).metadataStore]).toEqual([503, 'not writable']);
    expect((await ask('GET', '/openapi.json')).status).toBe(200);
    expect((await ask('GET', '/nowhere')).status).toBe(404);
  });

  it('serves again when it is back', async () => {
    database = await startEmbedded({ dataDir, cacheDir, env: process.env, log: () => {} });
    await expect
      .poll(async () => (await ask('GET', '/workspaces')).status, { timeout: 60_000, interval: 200 })
      .toBe(200);
  });
});
