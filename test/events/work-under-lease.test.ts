import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { afterAll, expect, inject, it } from 'vitest';
import { Lease } from '../../src/store/leases/lease.ts';
import { startUnderLease } from '../../src/store/leases/work-under-lease.ts';

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
