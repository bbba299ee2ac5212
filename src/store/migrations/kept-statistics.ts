import type { Db } from 'mongodb';
import type { StoredLease } from '../lease.ts';
import { CountedChanges } from '../statistics/counted-changes.ts';
import { STATISTICS_LEASE } from '../statistics/freshness.ts';
import { rebuildSteps, rebuildTotal } from '../statistics/rebuild.ts';
import type { Migration } from './migration.ts';

/** Counts all jobs for statistics, which are kept from then on; what is written meanwhile is counted afterwards. */
export const keptStatistics: Migration = {
  title: 'statistics are kept',
  total: rebuildTotal,
  async *steps(db: Db, after: string | undefined) {
    const leases = db.collection<StoredLease & { readonly begun?: Date }>('leases');
    const { from, at } = await new CountedChanges(db).now();
    const begun = { from, begun: at, holder: 'the migration', until: new Date(0) };
    await leases.updateOne({ _id: STATISTICS_LEASE }, { $setOnInsert: begun }, { upsert: true });
    yield* rebuildSteps(db, { isFirst: true, after });
    await leases.updateOne({ _id: STATISTICS_LEASE }, [{ $set: { at: '$begun' } }, { $unset: 'begun' }]);
  },
};
