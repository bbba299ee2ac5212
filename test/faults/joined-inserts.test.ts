import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BatchedInserts } from '../../src/store/batching/batched-inserts.ts';
import { makeWorkspace, startTestService, type TestService } from '../service.ts';
import { type FaultyMongod, startFaultyMongod } from './faulty-mongod.ts';

let mongod: FaultyMongod;
let service: TestService;
let workspace: { id: string };

beforeAll(async () => {
  mongod = await startFaultyMongod();
  service = await startTestService({ uri: mongod.uri });
  workspace = await makeWorkspace(service);
});
afterAll(async () => {
  await service.stop();
  await mongod[Symbol.asyncDispose]();
});

const AT_ONCE = 12;

/** The statuses of jobs sent at once, and how many acknowledged ones are missing. */
async function sendJobs() {
  const jobs = `/workspaces/${workspace.id}/jobs`;
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, i) => service.ask('POST', jobs, { as: 'client', body: { refNumber: `${i}` } })),
  );
  await mongod.heal();
  const acknowledged = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
  const stored = await service.stores.documents.byIds(acknowledged);
  return {
    statuses: [...new Set(answers.map(({ status }) => status))].sort(),
    lost: stored.filter((job) => job === undefined).length,
  };
}

describe('batched inserts', () => {
  const broken = { commands: ['insert'], data: { closeConnection: true } };

  it.each([1, 2, 6])('are acknowledged only if stored, when the connection breaks %i times', async (times) => {
    await mongod.fail({ ...broken, times });
    expect((await sendJobs()).lost).toBe(0);
  });

  it('are 503 when every connection breaks', async () => {
    await mongod.fail(broken);
    expect(await sendJobs()).toEqual({ statuses: [503], lost: 0 });
  });

  it.each([24, 46, 91, 112, 189, 202, 365, 10107, 13435, 11600, 11602, 14031])(
    'are 503 when the server answers %i to all of them',
    async (errorCode) => {
      await mongod.fail({ commands: ['insert'], data: { errorCode } });
      expect(await sendJobs()).toEqual({ statuses: [503], lost: 0 });
    },
  );

  it.each([64, 91, 100])('are 503 when the majority lacks them: write concern error %i', async (code) => {
    const writeConcernError = { code, errmsg: 'waiting for replication timed out' };
    await mongod.fail({ commands: ['insert'], data: { writeConcernError } });
    expect(await sendJobs()).toEqual({ statuses: [503], lost: 0 });
  });

  it('fail only for the one that cannot be encoded', async () => {
    const collection = service.stores.db.collection<{ _id: string; text: string }>('joined');
    const inserts = new BatchedInserts(collection);
    const texts = ['a', 'x'.repeat(17 * 1024 * 1024), 'c'];
    const outcomes = await Promise.allSettled(texts.map((text, i) => inserts.insert({ _id: `${i}`, text })));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await collection.countDocuments()).toBe(2);
  });

  it('fail only for a duplicate', async () => {
    const collection = service.stores.db.collection<{ _id: string }>('joined_again');
    const inserts = new BatchedInserts(collection);
    const outcomes = await Promise.allSettled(['a', 'b', 'a'].map((_id) => inserts.insert({ _id })));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  });
});

describe('Idempotency-Keys claimed and kept in batches', () => {
  const FAILURES = [
    ['every connection breaks', { closeConnection: true }],
    ['the server is no longer the primary', { errorCode: 189 }],
    ['the majority does not have them', { writeConcernError: { code: 64, errmsg: 'timed out' } }],
  ] as const;
  const names = (mark: string) => Array.from({ length: AT_ONCE }, (_, index) => `${mark} ${index}`);
  const send = (keys: readonly string[]) =>
    Promise.all(
      keys.map((key) =>
        service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
          as: 'client',
          body: { refNumber: key },
          headers: { 'Idempotency-Key': key },
        }),
      ),
    );
  const statuses = (answers: readonly { readonly status: number }[]) => [
    ...new Set(answers.map(({ status }) => status)),
  ];
  const namespace = () => `${service.stores.db.databaseName}.idempotency`;
  const replayed = (answers: Awaited<ReturnType<typeof send>>) =>
    answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true').length;
  const stored = (keys: readonly string[]) =>
    service.stores.db.collection('documents').countDocuments({ 'body.refNumber': { $in: keys } });

  it.each(FAILURES)('are free again after a failed claim: %s', async (_, data) => {
    const keys = names(`claim ${JSON.stringify(data)}`);
    await mongod.fail({ commands: ['insert'], namespace: namespace(), data });
    expect(statuses(await send(keys))).toEqual([503]);
    await mongod.heal();
    expect(await stored(keys)).toBe(0);
    await expect.poll(async () => statuses(await send(keys)), { timeout: 20_000 }).toEqual([201]);
    expect(await stored(keys)).toBe(keys.length);
  });

  it.each(FAILURES)('get their answers later if these could not be stored: %s', async (_, data) => {
    const keys = names(`kept ${JSON.stringify(data)}`);
    await mongod.fail({ commands: ['update'], namespace: namespace(), data });
    const first = await send(keys);
    expect(statuses(first)).toEqual([201]);
    await mongod.heal();
    const uses = service.stores.db.collection('idempotency');
    const unanswered = { answer: { $exists: false }, lease_until: { $gt: new Date() } };
    await expect.poll(() => uses.countDocuments(unanswered), { timeout: 20_000 }).toBe(0);
    const second = await send(keys);
    expect([replayed(second), second.map(({ text }) => text)]).toEqual([keys.length, first.map(({ text }) => text)]);
    expect(await stored(keys)).toBe(keys.length);
  });
});
