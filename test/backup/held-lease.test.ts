import { MongoClient } from 'mongodb';
import { expect, inject, it, vi } from 'vitest';
import { HeldLease } from '../../src/store/leases/held-lease.ts';
import { lostLease } from '../lost-lease.ts';

it('a suspended holder notices that another has acquired the lease, finished and released it', async () => {
  await using client = await MongoClient.connect(inject('mongoUri'));
  const db = client.db('test_held_lease');
  const { lease, other } = await lostLease(db);
  const held = new HeldLease(lease, () => new Error('taken over'));
  await vi.waitFor(() => expect(() => held.check()).toThrow('taken over'), { timeout: 20_000 });
  await held.end();
  expect(await other.take()).toBeDefined();
  await db.dropDatabase();
});
