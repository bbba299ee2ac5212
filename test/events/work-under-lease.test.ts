import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { followChanges } from '../../src/store/change-streams/follow-changes.ts';
import { presentPosition } from '../../src/store/change-streams/resume-point.ts';
import { EVENT_WATCH } from '../../src/store/events/document-changes.ts';
import { Lease } from '../../src/store/leases/lease.ts';
import { startUnderLease, TERM_MS, whileRenewing } from '../../src/store/leases/work-under-lease.ts';
import { lostLease } from '../lost-lease.ts';

const gone = new MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 100 });
afterAll(() => gone.close());

it('an outage is reported once, however often taking the lease fails', async () => {
  const told: unknown[] = [];
  const end = startUnderLease({
    lease: new Lease(gone.db('none'), 'work'),
    work: () => Promise.resolve(),
    interrupted: (error) => told.push(error),
  });
  await sleep(3_500);
  expect(told).toHaveLength(1);
  await end();
});

it('every interruption of restarted work is reported', async () => {
  await using client = await MongoClient.connect(inject('mongoUri'));
  const told: unknown[] = [];
  const failed = Promise.withResolvers<void>();
  const end = startUnderLease({
    lease: new Lease(client.db('test_leases'), 'work'),
    work: () => Promise.reject(new Error('broken')),
    interrupted: (error) => {
      if (told.push(error) === 2) failed.resolve();
    },
  });
  await failed.promise;
  await end();
  await client.db('test_leases').dropDatabase();
});

describe('a suspended holder whose lease another process has acquired and released', () => {
  it('stops following changes, since its place is no longer the last', async () => {
    await using client = await MongoClient.connect(inject('mongoUri'));
    const db = client.db('test_lost_lease');
    const { lease, other } = await lostLease(db);
    const places: unknown[] = [];
    const savePlace = async (place: unknown) => places.push(place) > 0;
    const handle = async () => true;
    const { from } = await presentPosition(db);
    const { signal: stopped } = new AbortController();
    await followChanges(db, {
      lease,
      watch: EVENT_WATCH,
      limit: 10,
      place: { from },
      savePlace,
      handle,
      stopped,
    });
    expect([places, await other.keep({})]).toEqual([[], true]);
    await db.dropDatabase();
  });

  it('does not take it back while it works', async () => {
    await using client = await MongoClient.connect(inject('mongoUri'));
    const db = client.db('test_lost_lease');
    const { lease, other } = await lostLease(db);
    await whileRenewing(lease, () => sleep(TERM_MS + 1_000));
    expect(await other.keep({})).toBe(true);
    await db.dropDatabase();
  });
});
