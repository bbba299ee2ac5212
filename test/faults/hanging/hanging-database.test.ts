// Takes 20 s: a hanging MongoDB counts as gone after 5 s, and two tests wait almost as long for one that is only slow.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { DEMO_USER } from '../../../src/demo/principals.ts';
import { projectCacheDir as cacheDir, type Embedded, startEmbedded } from '../../../src/embedded-mongod/server.ts';
import { type Service, startService } from '../../../src/service.ts';

/** Five seconds, and slack for a busy machine. */
const LIMIT_MS = 8_000;
const dataDir = mkdtempSync(join(tmpdir(), 'exchange-hanging-'));
const authorization = 'Bearer demo-client-key';
const said: string[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => void said.push(JSON.parse(line).msg) });
let database: Embedded;
let service: Service;
let mongod: number;
let workspace: string;
let job: string;
let doomed: string;
let attachment: string;
let cookie: string;

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
  readonly ms: number;
}

async function ask(method: string, path: string, body?: object | string, more: object = {}): Promise<Seen> {
  const began = performance.now();
  const form = body instanceof FormData;
  const headers = {
    ...(!('cookie' in more) && { authorization }),
    ...(body && !form && { 'content-type': 'application/json' }),
    ...more,
  };
  const sent = form || typeof body === 'string' || !body ? body : JSON.stringify(body);
  const response = await fetch(`${service.url}${path}`, { method, headers, ...(sent && { body: sent as string }) });
  const text = await response.text();
  return {
    status: response.status,
    text,
    retryAfter: response.headers.get('retry-after'),
    ms: performance.now() - began,
  };
}

const graphql = (query: string, more = {}) => ask('POST', '/graphql', { query }, more);
const form = (bytes: Buffer) => {
  const data = new FormData();
  data.append('file', new Blob([new Uint8Array(bytes)], { type: 'text/plain' }), 'report.txt');
  return data;
};
const codeOf = ({ text }: Seen) => {
  const { code, errors } = JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text);
  return code ?? errors[0].extensions.code;
};
const hang = () => process.kill(mongod, 'SIGSTOP');
const wake = () => process.kill(mongod, 'SIGCONT');

beforeAll(async () => {
  database = await startEmbedded({ dataDir, cacheDir, env: process.env, log: () => {} });
  mongod = Number(readFileSync(join(dataDir, 'db', 'mongod.lock'), 'utf8'));
  const config = readConfig({ PORT: '0', ENVIRONMENT: 'demo', RATE_LIMIT_PER_MINUTE: '100000' });
  service = await startService({ config, uri: database.uri, log });
  workspace = JSON.parse((await ask('GET', '/workspaces?limit=1')).text)[0].id;
  const documents = `/v2/workspaces/${workspace}/documents`;
  const bodies = Array.from({ length: 2_000 }, (_, i) => ({ refNumber: `H-${i}`, notes: 'x'.repeat(2_000) }));
  const bulk = await ask('POST', `${documents}/bulk`, { type: 'svc.inspection.job', body: bodies });
  [{ id: job }, { id: doomed }] = JSON.parse(bulk.text);
  const sent = await ask('POST', `${documents}/${job}/attachments`, form(Buffer.alloc(48 * 1024 * 1024)) as never);
  expect([bulk.status, sent.status]).toEqual([201, 201]);
  attachment = JSON.parse(sent.text).id;
  const signIn = { username: DEMO_USER.username, password: DEMO_USER.password };
  const signedIn = await fetch(`${service.url}/api/rest/1.0/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(signIn),
  });
  cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
});

afterAll(async () => {
  wake();
  await service.stop();
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('a hanging database', () => {
  it('answers 503 UNAVAILABLE with Retry-After within 5 s on every path, and aborts streams', async () => {
    const documents = `/v2/workspaces/${workspace}/documents`;
    const streams = [`${documents}/${job}/attachments/${attachment}/content`, `/workspaces/${workspace}/jobs`];
    const running = await Promise.all(
      streams.map((path) => fetch(`${service.url}${path}`, { headers: { authorization } })),
    );
    const readers = running.map(({ body }) => (body as ReadableStream<Uint8Array>).getReader());
    for (const reader of readers) await reader.read();
    hang();
    const began = performance.now();
    const brokenOff = readers.map(async (reader) => {
      for (;;)
        if (
          await reader.read().then(
            ({ done }) => done,
            () => 'broken',
          )
        )
          return performance.now() - began;
    });
    const paths: Record<string, () => Promise<Seen>> = {
      'read of one': () => ask('GET', `/workspaces/${workspace}/jobs/${job}`),
      'page of a list': () => ask('GET', `/workspaces/${workspace}/jobs?limit=5`),
      'streamed list': () => ask('GET', `/workspaces/${workspace}/jobs`),
      write: () => ask('POST', `/workspaces/${workspace}/jobs`, { notes: 'x' }),
      'write with new records (transaction)': () =>
        ask('POST', `/workspaces/${workspace}/jobs`, { transports: [{ name: 'MT Nowhere' }] }),
      'write under a key': () =>
        ask('POST', `/workspaces/${workspace}/jobs`, { notes: 'k' }, { 'idempotency-key': 'k' }),
      bulk: () =>
        ask('POST', `${documents}/bulk`, { type: 'svc.inspection.job', body: [{ notes: 'a' }, { notes: 'b' }] }),
      change: () => ask('PATCH', `/workspaces/${workspace}/jobs/${job}`, { notes: 'y' }),
      deletion: () => ask('DELETE', `/workspaces/${workspace}/jobs/${doomed}`),
      upload: () => ask('POST', `${documents}/${job}/attachments`, form(Buffer.alloc(3_000_000)) as never),
      download: () => ask('GET', `${documents}/${job}/attachments/${attachment}/content`),
      'sign-in': () =>
        ask('POST', '/api/rest/1.0/session', { username: DEMO_USER.username, password: DEMO_USER.password }),
      session: () => ask('GET', '/workspaces', undefined, { cookie }),
      'unknown key': () => ask('GET', '/workspaces', undefined, { authorization: 'Bearer unknown-key' }),
      'GraphQL query': () => graphql('{ workspaces { totalCount } }'),
      'GraphQL statistics': () =>
        graphql('{ viewer { statistics(from: "2026-01-01", to: "2027-01-01") { jobs { jobs } } } }'),
      'GraphQL mutation': () =>
        graphql('mutation { createOrganization(body: { name: "Hang Oil", category: "shipper" }) { id } }'),
      'GraphQL with an unknown key': () =>
        graphql('{ workspaces { totalCount } }', { authorization: 'Bearer unknown-key-2' }),
      subscription: () => graphql('subscription { documentChanged { id } }', { accept: 'text/event-stream' }),
    };
    const health = sleep(1_000).then(() => ask('GET', '/bridge/v1/health')); // the last second may be cached
    const answers = Object.entries(paths).map(async ([name, send]) => [name, await send()] as const);
    const seen = Object.fromEntries(await Promise.all(answers));
    const broken = await Promise.all(brokenOff);
    expect([(await health).status, (await health).ms < LIMIT_MS]).toEqual([503, true]);
    if (process.env.SHOW)
      console.log(
        Object.entries(seen)
          .map(([n, a]) => `${n}: ${a.status} ${a.ms}`)
          .join('\n'),
        'broken off',
        broken,
      );
    for (const [name, answer] of Object.entries(seen)) {
      expect([name, answer.status, codeOf(answer)]).toEqual([name, 503, 'UNAVAILABLE']);
      expect([name, answer.ms < LIMIT_MS ? 'in time' : answer.ms]).toEqual([name, 'in time']);
      expect([name, Number(answer.retryAfter) > 0]).toEqual([name, true]);
      expect(answer.text).not.toMatch(/mongo|timed out|127\.0\.0\.1/i);
    }
    for (const ms of broken) expect(ms).toBeLessThan(LIMIT_MS + 500);

    const began2 = performance.now();
    const again = await Promise.all([ask('GET', '/workspaces'), graphql('{ workspaces { totalCount } }')]);
    expect([again.map(({ status }) => status), performance.now() - began2 < LIMIT_MS / 2]).toEqual([[503, 503], true]);
    expect((await ask('GET', '/openapi.json')).status).toBe(200);
  }, 180_000);

  it('is served again soon after its return, and a write retried under its key is made once', async () => {
    wake();
    const began = performance.now();
    await expect
      .poll(async () => (await ask('GET', '/workspaces')).status, { timeout: 20_000, interval: 20 })
      .toBe(200);
    const back = performance.now() - began;
    if (process.env.SHOW) console.log('back after', back);
    expect(back).toBeLessThan(LIMIT_MS);
    const jobs = `/workspaces/${workspace}/jobs`;
    const repeated = await ask('POST', jobs, { notes: 'k' }, { 'idempotency-key': 'k' });
    expect(repeated.status).toBe(201);
    expect(JSON.parse((await ask('GET', `${jobs}?notes=k`)).text)).toHaveLength(1);
  });

  it('lets 200 waiting requests be answered as soon as it is back, leaving no trace of them', async () => {
    hang();
    const waiting = Array.from({ length: 200 }, (_, i) =>
      i % 2
        ? ask('GET', `/workspaces/${workspace}/jobs/${job}`)
        : ask('POST', '/v2/organizations', { name: `W ${i}`, category: 'shipper' }),
    );
    await sleep(2_000);
    wake();
    const began = performance.now();
    const answers = await Promise.all(waiting);
    if (process.env.SHOW) console.log('200 answered after', performance.now() - began);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201]));
    expect(performance.now() - began).toBeLessThan(2 * LIMIT_MS);
  });

  it('leaks no connections', async () => {
    const open = async () => Number((await service.stores.db.admin().serverStatus()).connections.current);
    await expect.poll(open, { timeout: 20_000 }).toBeLessThan(45); // a pool of 32, and the driver's own
  });
});

describe('a responsive database', () => {
  it('may work on an operation as long as it takes', async () => {
    const one = { _id: 'slow' } as object;
    await service.stores.db.collection('leases').insertOne({ ...one });
    const slow = service.stores.db.collection('leases').find({ ...one, $where: 'sleep(4600) || true' });
    expect(await slow.toArray()).toHaveLength(1);
  });

  it('is not taken for silent by a process too busy to listen', async () => {
    const waiting = service.stores.watch.race(sleep(4_800, 'waited for'));
    for (const until = performance.now() + 4_400; performance.now() < until; );
    expect(await waiting).toBe('waited for');
  });
});

describe('the log', () => {
  it('has one line when MongoDB stops responding, and one when it responds again', async () => {
    const outages = () => said.filter((line) => /^MongoDB (does not respond|responds)/.test(line));
    await expect.poll(() => outages().length).toBeGreaterThan(1);
    const both = ['MongoDB does not respond; requests get 503 until it does', 'MongoDB responds again'];
    expect(outages()).toEqual(outages().map((_, index) => both[index % 2]));
  });
});
