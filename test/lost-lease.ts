import type { Db } from 'mongodb';
import { expect } from 'vitest';
import { Lease } from '../src/store/leases/lease.ts';

/** A lease that was acquired and then, as if its holder had been suspended, by another process, which has released it again. */
export async function lostLease(db: Db): Promise<{ readonly lease: Lease; readonly other: Lease }> {
  const [lease, other] = [new Lease(db, 'work'), new Lease(db, 'work')];
  await lease.take();
  await db.collection('leases').updateMany({}, { $set: { until: new Date(0) } }); // as if suspended for ten seconds
  expect(await other.take()).toBeDefined();
  await other.release();
  return { lease, other };
}
