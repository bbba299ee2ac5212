// Takes 50 s: MongoDB hangs four times, longer than a request may wait for it, while still answering heartbeats.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { DEMO_USER } from '../../../src/demo/principals.ts';
import { type Service, startService } from '../../../src/service.ts';
import { type FaultyMongod, startFaultyMongod } from '../faulty-mongod.ts';

/** Five seconds, and slack for a busy machine. */
const LIMIT_MS = 8_000;
/** How long MongoDB hangs: waiting for the end would be too late. */
const HANG_MS = 11_000;
const said: string[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => void said.push(JSON.parse(line).msg) });
let mongod: FaultyMongod;
let service: Service;
let workspace: string;
let job: string;

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

async function ask(method: string, path: string, body?: object, more: object = {}): Promise<Seen> {
  const began = performance.now();
  const isForm = body instanceof FormData;
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      authorization: 'Bearer demo-client-key',
      ...(body && !isForm && { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text(), ms: performance.now() - began };
}

const graphql = (query: string) => ask('POST', '/graphql', { query });
const create = (notes: string, key: string) =>
  ask('POST', `/workspaces/${workspace}/jobs`, { notes }, { 'idempotency-key': key });
const file = (size: number) => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(size)]), 'report.bin');
  return form;
};

/** Blocks MongoDB's writes meanwhile, for some time. */
async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  const admin = mongod.client.db('admin');
  await admin.command({ fsync: 1, lock: true });
  const unlocked = sleep(HANG_MS).then(() => admin.command({ fsyncUnlock: 1 }));
  try {
    return await work();
  } finally {
    await unlocked;
  }
}

const recovered = () =>
  expect
    .poll(async () => (await ask('POST', '/v2/organizations', { name: randomUUID() })).status, { timeout: 20_000 })
    .toBe(201);

beforeAll(async () => {
  mongod = await startFaultyMongod();
  const config = readConfig({ PORT: '0', ENVIRONMENT: 'demo', RATE_LIMIT_PER_MINUTE: '100000' });
  service = await startService({ config, uri: mongod.uri, log });
  workspace = JSON.parse((await ask('GET', '/workspaces?limit=1')).text)[0].id;
  job = JSON.parse((await ask('POST', `/workspaces/${workspace}/jobs`, { notes: 'first' })).text).id;
});

afterAll(async () => {
  await service.stop();
  await mongod[Symbol.asyncDispose]();
});

describe('a database that answers heartbeats but does not write', () => {
  it('answers 503 within 5 s for every kind of write, and serves reads', async () => {
    const documents = `/v2/workspaces/${workspace}/documents`;
    const bulk = { type: 'svc.inspection.job', body: [{ notes: 'a' }, { notes: 'b' }] };
    const { username, password } = DEMO_USER;
    const [key, notes] = [randomUUID(), randomUUID()];
    const writes: Record<string, () => Promise<Seen>> = {
      v2: () => ask('POST', '/v2/organizations', { name: randomUUID() }),
      legacy: () => ask('POST', `/workspaces/${workspace}/jobs`, { notes: 'x' }),
      'with a new record': () => ask('POST', `/workspaces/${workspace}/jobs`, { location: { name: randomUUID() } }),
      'reference catalog': () =>
        ask('PUT', `/api/rest/1.0/ports/${randomUUID()}`, { name: 'x' }, { authorization: 'Bearer demo-admin-key' }),
      bulk: () => ask('POST', `${documents}/bulk`, bulk),
      change: () => ask('PATCH', `/workspaces/${workspace}/jobs/${job}`, { notes: 'y' }),
      'under a key': () => create(notes, key),
      'small upload': () => ask('POST', `${documents}/${job}/attachments`, file(1_000)),
      'large upload': () => ask('POST', `${documents}/${job}/attachments`, file(3_000_000)),
      'sign-in': () => ask('POST', '/api/rest/1.0/session', { username, password }),
      GraphQL: () => graphql(`mutation { createOrganization(body: { name: "${randomUUID()}" }) { id } }`),
    };
    const reads: Record<string, () => Promise<Seen>> = {
      one: () => ask('GET', `/workspaces/${workspace}/jobs/${job}`),
      list: () => ask('GET', `/workspaces/${workspace}/jobs?limit=5`),
      GraphQL: () => graphql('{ workspaces { totalCount } }'),
    };
    const all = (some: typeof writes) =>
      Promise.all(Object.entries(some).map(async ([name, send]) => [name, await send()] as const));
    const inTime = ([name, { status, ms }]: readonly [string, Seen]) => [name, status, ms < LIMIT_MS || ms];
    await whileLocked(async () => {
      const [written, read] = await Promise.all([all(writes), all(reads)]);
      expect(written.map(inTime)).toEqual(Object.keys(writes).map((name) => [name, 503, true]));
      expect(read.map(inTime)).toEqual(Object.keys(reads).map((name) => [name, 200, true]));
      const again = await ask('POST', '/v2/organizations', { name: randomUUID() });
      expect([again.status, again.ms < LIMIT_MS / 2]).toEqual([503, true]); // at once
      expect((await all(reads)).map(([, { status }]) => status)).toEqual([200, 200, 200]);
      // A caller whose requests have not been counted yet, and cannot be.
      const other = await ask('GET', '/v2/organizations', undefined, { authorization: 'Bearer demo-observer-key' });
      expect([other.status, other.ms < LIMIT_MS / 2]).toEqual([200, true]);
    });
    await recovered();
    const repeated = await create(notes, key);
    expect(repeated.status).toBe(201);
    expect(await service.stores.documents.countWhere({ 'body.notes': notes })).toBe(1);
    const outages = said.filter((line) => /^MongoDB (does not|responds)/.test(line));
    expect(outages).toEqual([
      'MongoDB does not write; requests that write get 503 until it does',
      'MongoDB responds again',
    ]);
  }, 120_000);

  it('delays no read, even when hanging writes hold all connections', async () => {
    const seen = await whileLocked(async () => {
      const writes = Array.from({ length: 80 }, () => create('many', randomUUID()));
      await sleep(500);
      const reads = Array.from({ length: 10 }, () => ask('GET', `/workspaces/${workspace}/jobs?limit=5`));
      return Promise.all([...writes, ...reads]);
    });
    expect(seen.filter(({ ms }) => ms >= LIMIT_MS)).toEqual([]);
    expect(new Set(seen.slice(0, 80).map(({ status }) => status))).toEqual(new Set([503]));
    await recovered();
  }, 120_000);
});

describe('a database that answers heartbeats but nothing else', () => {
  it('answers 503 within 5 s for reads too, and serves again afterwards', async () => {
    const held = mongod.client.db('admin').command({ sleep: 1, lock: 'w', millis: HANG_MS });
    await sleep(300);
    const seen = await Promise.all([
      ask('GET', `/workspaces/${workspace}/jobs?limit=5`),
      graphql('{ workspaces { totalCount } }'),
      create('none', randomUUID()),
    ]);
    await held;
    expect(seen.map(({ status, ms }) => [status, ms < LIMIT_MS || ms])).toEqual(Array(3).fill([503, true]));
    await recovered();
  }, 120_000);
});

describe('a responsive database', () => {
  it('may work on a list for longer than a request may wait for a hanging one', async () => {
    const namespace = `${service.stores.db.databaseName}.documents`;
    const data = { blockConnection: true, blockTimeMS: 6_500 };
    await mongod.fail({ commands: ['find', 'aggregate'], namespace, data });
    try {
      const { status, ms } = await ask('GET', `/workspaces/${workspace}/jobs?limit=5&notes=${randomUUID()}`);
      expect([status, ms > 6_000]).toEqual([200, true]);
    } finally {
      await mongod.heal();
    }
  });
});
