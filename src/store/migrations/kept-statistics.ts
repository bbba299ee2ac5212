import type { Db } from 'mongodb';
import { placesOf, presentPlace, STATISTICS_PLACE } from '../statistics/place.ts';
import { rebuildSteps, rebuildTotal } from '../statistics/rebuild.ts';
import type { Migration } from './migration.ts';

/** Counts all jobs for statistics, which are kept from then on; what is written meanwhile is counted afterwards. */
export const keptStatistics: Migration = {
  title: 'statistics are kept',
  total: rebuildTotal,
  async *steps(db: Db, after: string | undefined) {
    const { from, at } = await presentPlace(db);
    const begun = { from, begun: at, holder: 'the migration' };
    await placesOf(db).updateOne({ _id: STATISTICS_PLACE }, { $setOnInsert: begun }, { upsert: true });
    yield* rebuildSteps(db, { isFirst: true, after });
    await placesOf(db).updateOne({ _id: STATISTICS_PLACE }, [{ $set: { at: '$begun' } }, { $unset: 'begun' }]);
  },
};
