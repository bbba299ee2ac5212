import { afterAll, beforeAll, expect, it } from 'vitest';
import { within } from '../../src/store/transactions/transaction.ts';
import { type FaultFixture, mark, startFaultFixture } from './fault-fixture.ts';

let fixture: FaultFixture;
beforeAll(async () => {
  fixture = await startFaultFixture();
});
afterAll(() => fixture.stop());

const TOGETHER = 4;

/** Inserts one document each, in transactions whose commits are all in flight at the same time. */
function commitTogether(name: string): Promise<PromiseSettledResult<string>[]> {
  const { db, transaction } = fixture.service.stores;
  const all = Promise.withResolvers<void>();
  let ready = 0;
  const insert = async (_id: string): Promise<string> =>
    transaction(async (tx) => {
      await db.collection<{ _id: string }>('things').insertOne({ _id }, within(tx));
      if (++ready === TOGETHER) all.resolve();
      await all.promise;
      return _id;
    });
  return Promise.allSettled(Array.from({ length: TOGETHER }, (_, index) => insert(`${name} ${index}`)));
}

// The first clears the driver's connection pool, and the driver then no longer marks the others as retryable.
it('simultaneous commits whose connections break are all retried, and leave nothing open', async () => {
  await fixture.service.stores.db.createCollection('things');
  const { mongod } = fixture;
  const data = { closeConnection: true, blockConnection: true, blockTimeMS: 200 };
  await mongod.fail({ commands: ['commitTransaction'], times: 3 * TOGETHER, data });
  const outcomes = await commitTogether('a');
  expect(await mongod.heal()).toBe(3 * TOGETHER);
  expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : one.reason))).toEqual(
    Array.from({ length: TOGETHER }, (_, index) => `a ${index}`),
  );
  expect(await fixture.count('things', {})).toBe(TOGETHER);
  const open = await mongod.client
    .db('admin')
    .aggregate([{ $currentOp: { idleSessions: true, allUsers: true } }, { $match: { transaction: { $exists: true } } }])
    .toArray();
  expect(open).toEqual([]);
});

// The driver would retry such a commit for two minutes, without a pause.
it.each([
  [
    'the majority does not acknowledge',
    { writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } },
  ],
  ['a server refuses that is not the primary', { errorCode: 10107 }],
])('a commit that %s is given up in time, and a retried request makes one', async (_title, data) => {
  const { mongod, workspace, keyed, count } = fixture;
  const notes = mark();
  const body = { notes, location: { name: mark() } };
  const { send } = keyed({ method: 'POST', path: `/workspaces/${workspace.id}/jobs`, body }, () => Promise.resolve(1));
  const before = await mongod.heal();
  await mongod.fail({ commands: ['commitTransaction'], data });
  const began = performance.now();
  const { status } = await send();
  const ms = performance.now() - began;
  const commits = (await mongod.heal()) - before;
  expect([status, ms < 8_000 || ms]).toEqual([503, true]); // five seconds, and slack for a busy machine
  expect(commits).toBeLessThan(200);
  expect((await send()).status).toBe(201);
  expect(await count('documents', { 'body.notes': notes })).toBe(1);
});
