// May take 45 s: two gateways are started and killed, and thousands of documents are created and deleted.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eraseLeft } from '../../../src/domain/deletion/erasure-sweep.ts';
import { CALLERS, makeWorkspace, startTestService, type TestService } from '../../service.ts';
import { type FaultyMongod, startFaultyMongod } from '../faulty-mongod.ts';
import { killAtWork, startGatewayProcess } from '../gateway-process.ts';

const EVENTS = 2_500;
/** The audit lines written in one command, after the job's: five times in the first transaction. */
const LINES = 200;

let mongod: FaultyMongod;
let service: TestService;
let documents: string;
let job: string;

beforeAll(async () => {
  mongod = await startFaultyMongod();
  service = await startTestService({ uri: mongod.uri });
  documents = `/v2/workspaces/${(await makeWorkspace(service)).id}/documents`;
});
afterAll(async () => {
  await service.stop();
  await mongod[Symbol.asyncDispose]();
});

beforeEach(async () => {
  const post = (path: string, body: object) => service.ask('POST', path, { as: 'client', body });
  job = (await post(documents, { type: 'svc.inspection.job', body: {} })).body.id;
  const body = Array.from({ length: EVENTS }, () => ({ parent: job }));
  expect((await post(`${documents}/bulk`, { type: 'svc.inspection.timelog', body })).status).toBe(201);
});

const collection = (name: string) => service.stores.db.collection<{ _id: string }>(name);
const ask = (method: string) => service.ask(method, `${documents}/${job}`, { as: 'client' });
const below = () => collection('documents').countDocuments({ parent_id: job } as never);
/** Backdates everything listed by that much. */
const later = (seconds: number) =>
  collection('erasures').updateMany({}, [{ $set: { due: { $subtract: ['$due', seconds * 1_000] } } }]);
const look = () => service.stores.erasures.runDue((erased) => eraseLeft(service.stores, erased)).catch(() => undefined);
/** The command that writes an audit line about that event. */
const lineOf = (event: number) => ({
  commands: ['insert'],
  namespace: `${service.stores.db.databaseName}.audit_log`,
  skip: 1 + Math.floor(event / LINES),
});

/** How often the job and its events are each in the tombstones and in the audit log. */
async function traces() {
  const ofJob = { $or: [{ _id: job }, { parent_id: job }] };
  const buried = await collection('tombstones')
    .find(ofJob as never)
    .toArray();
  const gone = { entity: { $in: buried.map(({ _id }) => _id) }, action: 'document.deleted' };
  const lines = await collection('audit_log').distinct('entity', gone as never);
  return [buried.length, lines.length, await collection('audit_log').countDocuments(gone as never)];
}

const ONCE = [EVENTS + 1, EVENTS + 1, EVENTS + 1];

describe('a large deletion whose gateway is killed', () => {
  const limitTransactions = (transactionLifetimeLimitSeconds: number) =>
    mongod.client.db('admin').command({ setParameter: 1, transactionLifetimeLimitSeconds });

  async function killedAt(event: number): Promise<void> {
    await limitTransactions(10); // a killed gateway's transactions end after this long, instead of a minute
    try {
      const { gateway, url } = await startGatewayProcess(mongod.uri, service.stores.db.databaseName);
      const headers = { Authorization: `Bearer ${CALLERS.client}` };
      const erase = () => fetch(`${url}${documents}/${job}`, { method: 'DELETE', headers });
      await killAtWork(gateway, mongod, lineOf(event), erase);
    } finally {
      await limitTransactions(60);
    }
  }

  it('is not started if killed before hiding the job, and a retry does it all', async () => {
    await killedAt(500);
    expect([(await ask('GET')).status, await below(), await traces()]).toEqual([200, EVENTS, [0, 0, 0]]);
    const again = async () => (await ask('DELETE')).status;
    await expect.poll(again, { timeout: 60_000, interval: 500 }).toBe(200);
    expect([await below(), await traces()]).toEqual([0, ONCE]);
  }, 180_000);

  it('is finished by another gateway within half a minute if killed later, each document once', async () => {
    const began = Date.now();
    await killedAt(1_500);
    expect((await ask('GET')).status).toBe(404);
    expect(await below()).toBe(EVENTS - 1_000);
    expect((await ask('DELETE')).status).toBe(404);
    const listed = await collection('erasures').findOne({ _id: job });
    expect(listed).toMatchObject({ due: expect.toSatisfy((due: Date) => due.getTime() > began + 10_000) });
    await later(-60); // however long it took so far
    await look();
    expect(await below()).toBe(EVENTS - 1_000); // its gateway might still be at it
    await later(60 + 15);
    const isDue = { _id: job, $expr: { $lt: ['$due', '$$NOW'] } };
    expect(await collection('erasures').countDocuments(isDue)).toBe(1);
    const left = async () => {
      await look();
      await later(15); // the killed gateway's open transaction may have been in the way
      return below();
    };
    await expect.poll(left, { timeout: 60_000, interval: 500 }).toBe(0);
    expect(await traces()).toEqual(ONCE);
  }, 180_000);
});

it('a large deletion the database refuses to complete says so, and is finished without a retry', async () => {
  await mongod.fail({ ...lineOf(1_500), data: { errorCode: 50 } });
  const { status, body } = await ask('DELETE');
  expect([status, body.code, body.detail]).toEqual([
    503,
    'UNAVAILABLE',
    expect.stringContaining('the rest will be deleted'),
  ]);
  await mongod.heal();
  expect([(await ask('GET')).status, (await ask('DELETE')).status]).toEqual([404, 404]);
  await later(15);
  await expect.poll(() => look().then(below), { timeout: 30_000, interval: 500 }).toBe(0);
  expect(await traces()).toEqual(ONCE);
}, 180_000);
