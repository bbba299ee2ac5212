import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Db, Document } from 'mongodb';
import { MongoClient } from 'mongodb';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { lostDatabase } from '../../../src/error-masking.ts';
import { shapeA } from '../../rest-compat/data-api/bodies.ts';
import { type Answer, makeWorkspace, startTestService, type TestService } from '../../service.ts';

/** What contract §12 allows. */
/** Five seconds, and slack for a busy machine. */
const LIMIT_MS = 8_000;

/** A request that writes to what a dead gateway's transaction has written. */
interface Blocked {
  readonly name: string;
  /** What that transaction writes to. */
  readonly holds: (db: Db, write: Write) => Promise<unknown>;
  send(): Promise<Answer>;
  /** How many times the result is there. */
  times(): Promise<number>;
}

interface Write {
  touch(collection: string, _id: string): Promise<unknown>;
  insert(collection: string, document: Document): Promise<unknown>;
}

let service: TestService;
let workspace: string;
const driver = new MongoClient(inject('mongoUri'));

beforeAll(async () => {
  service = await startTestService();
  workspace = (await makeWorkspace(service)).id;
  await driver.connect();
});
afterAll(async () => {
  await service.stop();
  await driver.close();
});

const mark = (): string => newId();
const db = () => driver.db(service.stores.db.databaseName);
const stored = (collection: string) => db().collection<{ _id: string } & Document>(collection);
const jobs = () => `/workspaces/${workspace}/jobs`;
const documents = () => `/v2/workspaces/${workspace}/documents`;
const products = () => `/workspaces/${workspace}/catalogs/products`;
const count = (collection: string, filter: Document) => db().collection(collection).countDocuments(filter);
const touching =
  (collection: string, id: string) =>
  (_: Db, { touch }: Write) =>
    touch(collection, id);

async function made(method: string, path: string, body: unknown): Promise<{ id: string }> {
  const answer = await service.ask(method, path, { as: 'client', body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
}

/** The same request on every send, with a key where it takes one. */
const request = (method: string, path: string, body?: unknown) => {
  const headers = method === 'POST' || method === 'PUT' ? { 'Idempotency-Key': mark() } : {};
  return { send: () => service.ask(method, path, { as: 'client', body, headers }) };
};

const newVersions = (collection: string, id: string) => async () => {
  const found = await stored(collection).findOne({ _id: id });
  return Number(found?.revision) - 1;
};

/** A copy of a stored document under another id, which violates unique indexes. */
const copyOf =
  (collection: string, filter: Document, more: Document) =>
  async (database: Db, { insert }: Write) => {
    const found = await database.collection(collection).findOne(filter);
    return insert(collection, { ...found, _id: mark(), version_id: mark(), ...more });
  };

async function change(): Promise<Blocked> {
  const { id } = await made('POST', jobs(), {});
  const sent = request('PATCH', `${jobs()}/${id}`, { notes: 'after' });
  return { name: 'PATCH job', holds: touching('documents', id), ...sent, times: newVersions('documents', id) };
}

async function deletion(): Promise<Blocked> {
  const { id } = await made('POST', jobs(), {});
  const times = async () => 1 - (await count('documents', { _id: id as never }));
  return { name: 'DELETE job', holds: touching('documents', id), ...request('DELETE', `${jobs()}/${id}`), times };
}

async function recordDeletion(): Promise<Blocked> {
  const { id } = await made('POST', products(), { name: mark() });
  const times = async () => 1 - (await count('catalog_records', { _id: id as never }));
  const sent = request('DELETE', `${products()}/${id}`);
  return { name: 'DELETE catalog record', holds: touching('catalog_records', id), ...sent, times };
}

async function recordChange(): Promise<Blocked> {
  const { id } = await made('POST', products(), { name: mark() });
  const sent = request('PATCH', `${products()}/${id}`, { name: mark() });
  const times = newVersions('catalog_records', id);
  return { name: 'PATCH catalog record', holds: touching('catalog_records', id), ...sent, times };
}

async function workspaceDeletion(): Promise<Blocked> {
  const { id } = await makeWorkspace(service);
  const times = async () => 1 - (await count('workspaces', { _id: id as never }));
  const sent = request('DELETE', `/v2/workspaces/${id}`);
  return { name: 'DELETE workspace', holds: touching('workspaces', id), ...sent, times };
}

async function bulk(): Promise<Blocked> {
  const refNumber = mark();
  const body = { type: 'svc.inspection.job', body: [{ refNumber }, { refNumber }] };
  const times = async () => (await count('documents', { 'body.refNumber': refNumber })) / 2;
  const sent = request('POST', `${documents()}/bulk`, body);
  return { name: 'bulk', holds: touching('workspaces', workspace), ...sent, times };
}

async function newRecord(): Promise<Blocked> {
  const [known, name] = [mark(), mark()];
  await made('POST', jobs(), { location: { name: known } });
  const sent = request('POST', jobs(), { refNumber: name, location: { name } });
  const times = () => count('documents', { 'body.refNumber': name });
  const holds = copyOf('catalog_records', { 'body.name': known }, { name_key: name, created_for: name });
  return { name: 'create with a new record', holds, ...sent, times };
}

async function placement(): Promise<Blocked> {
  const nobody = { name: 'Nobody', xref: mark() };
  const { names } = await makeWorkspace(service);
  const { id } = await made('POST', '/bridge/v1/data/jobs', { ...shapeA({ names } as never), client: nobody });
  const text = 'mutation P($id: UUID!, $w: UUID!) { placeJob(id: $id, workspace: $w) { id } }';
  const send = async () => {
    const answer = await service.graphql(text, { id, w: workspace });
    return { ...answer, body: { code: answer.body.errors?.[0].extensions.code } };
  };
  const times = () => count('documents', { _id: id as never, workspace });
  return { name: 'placeJob', holds: touching('documents', id), send, times };
}

async function newPort(): Promise<Blocked> {
  const code = mark();
  await made('PUT', `/api/rest/1.0/ports/${code}`, { name: 'Known' });
  const known = await db().collection('reference_records').findOneAndDelete({ code });
  const sent = request('PUT', `/api/rest/1.0/ports/${code}`, { name: 'New' });
  const holds = (_: Db, { insert }: Write) => insert('reference_records', { ...known });
  return { name: 'PUT of a new port', holds, ...sent, times: () => count('reference_records', { code }) };
}

async function existingPort(): Promise<Blocked> {
  const code = mark();
  await made('PUT', `/api/rest/1.0/ports/${code}`, { name: 'Before' });
  const id = String((await db().collection('reference_records').findOne({ code }))?._id);
  const sent = request('PUT', `/api/rest/1.0/ports/${code}`, { name: 'After' });
  const times = newVersions('reference_records', id);
  return { name: 'PUT of a port', holds: touching('reference_records', id), ...sent, times };
}

async function synonym(): Promise<Blocked> {
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.push((await made('POST', products(), { name: mark() })).id);
  const path = (a = '', b = '') => `/v2/workspaces/${workspace}/xrefs/products/${a}/synonyms/${b}`;
  await made('POST', path(ids[0], ids[1]), undefined);
  const items = [ids[2] ?? '', ids[3] ?? ''].sort();
  const holds = copyOf('synonyms', { items: ids[0] }, { pair: items.join(' '), items });
  return {
    name: 'synonym',
    holds,
    ...request('POST', path(ids[2], ids[3])),
    times: () => count('synonyms', { items: ids[2] }),
  };
}

/** The transaction a killed gateway leaves: open until MongoDB aborts it after a minute. */
async function abandon(blocked: readonly Pick<Blocked, 'holds'>[]): Promise<() => Promise<void>> {
  const session = driver.startSession();
  session.startTransaction();
  const write: Write = {
    touch: (collection, _id) => stored(collection).updateOne({ _id }, { $inc: { held: 1 } }, { session }),
    insert: (collection, document) => db().collection(collection).insertOne(document, { session }),
  };
  for (const { holds } of blocked) await holds(db(), write);
  return async () => {
    await session.abortTransaction();
    await session.endSession();
  };
}

const KINDS = [
  change,
  deletion,
  recordChange,
  recordDeletion,
  workspaceDeletion,
  bulk,
  newRecord,
  placement,
  newPort,
  existingPort,
  synonym,
];

it("a file is attached to a document locked by a killed gateway's transaction", async () => {
  const { id } = await made('POST', jobs(), {});
  const end = await abandon([{ holds: touching('documents', id) }]);
  const body = new FormData();
  body.set('file', new Blob([new Uint8Array(1_500_000)]), 'report.bin');
  const headers = { Authorization: 'Bearer demo-client-key' };
  const sent = fetch(`${service.url}${documents()}/${id}/attachments`, { method: 'POST', headers, body });
  const { status } = await sent.finally(end);
  expect([status, await count('attachments', { parent_id: id })]).toEqual([201, 1]);
});

describe("a request blocked by a killed gateway's transaction", () => {
  it('is 503 with Retry-After within 5 s, takes no effect, and is done once on retry', async () => {
    const blocked: Blocked[] = [];
    for (const kind of KINDS) blocked.push(await kind());
    const end = await abandon(blocked);
    const first = await Promise.all(
      blocked.map(async ({ send, times }) => {
        const began = performance.now();
        const { status, headers, text, body } = await send();
        return {
          status,
          text,
          code: body?.code,
          retry: Number(headers.get('retry-after')),
          ms: performance.now() - began,
          times: await times(),
        };
      }),
    ).finally(end);
    const again = await Promise.all(
      blocked.map(async ({ send, times }) => {
        const began = performance.now();
        const { status, text } = await send();
        return { status, text, ms: performance.now() - began, times: await times() };
      }),
    );
    writeTable(
      blocked.map(({ name }, i) => [
        name,
        first[i]?.status,
        Math.round(first[i]?.ms ?? 0),
        first[i]?.times,
        again[i]?.status,
        again[i]?.times,
      ]),
    );
    for (const [i, { name }] of blocked.entries()) {
      const { ms = 0, retry = 0, text, ...seen } = first[i] ?? {};
      expect(text, name).toContain('did not finish the write in time');
      expect(seen, name).toEqual({ status: 503, code: 'UNAVAILABLE', times: 0 });
      expect(retry, name).toBeGreaterThan(0);
      expect(ms - (again[i]?.ms ?? 0), `${name}: how much longer than when nothing holds it`).toBeLessThan(LIMIT_MS);
      expect(again[i]?.status, `${name}: ${again[i]?.text}`).toBeLessThan(300);
      expect(again[i]?.times, name).toBe(1);
    }
  }, 180_000);

  it('is 503 for each insert of a batch, while a transaction no request waits for keeps waiting', async () => {
    const { stores } = service;
    const { id } = await made('POST', products(), { name: mark() });
    const record = await stored('catalog_records').findOne({ _id: id });
    const copy = () => ({ ...record, _id: mark(), version_id: mark(), name_key: mark(), created_for: mark() });
    const [held, free] = [copy(), copy()];
    const end = await abandon([{ holds: (_, { insert }) => insert('catalog_records', held) }]);
    const background = stores.transaction((session) => stores.catalogRecords.insert(held as never, session), {
      inBackground: true,
    });
    const batch = await Promise.allSettled([held, free].map((one) => stores.catalogRecords.insert(one as never)));
    await end();
    await background;
    const shown = batch.map((one) => one.status === 'rejected' && lostDatabase(one.reason)?.message);
    expect(shown.map(String)).toEqual([0, 1].map(() => expect.stringContaining('did not finish the write in time')));
    expect(await count('catalog_records', { _id: held._id as never })).toBe(1);
  });
});

/** Writes the table to `.cache/faults`: the first answer, how long it took, and how often it was done; then the retry's. */
function writeTable(rows: readonly (readonly unknown[])[]): void {
  const folder = join(import.meta.dirname, '..', '..', '..', '.cache', 'faults');
  mkdirSync(folder, { recursive: true });
  const head = ['kind of write', 'first answer', 'ms', 'done', 'repeat', 'done'];
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  writeFileSync(join(folder, 'dead-gateway.md'), `${lines.join('\n')}\n`);
}
