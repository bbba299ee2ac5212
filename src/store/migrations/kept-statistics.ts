import type { Db } from 'mongodb';
import { presentPosition, resumePoints } from '../change-streams/resume-point.ts';
import { STATISTICS } from '../statistics/counted-changes.ts';
import { rebuildSteps, rebuildTotal, toldTo } from '../statistics/rebuild.ts';
import type { Migration } from './migration.ts';

/** Counts all jobs for statistics, which are maintained from then on; concurrent writes are counted afterwards. */
export const keptStatistics: Migration = {
  title: 'statistics are kept',
  total: rebuildTotal,
  async *steps(db: Db, after: string | undefined, log) {
    const { from, at } = await presentPosition(db);
    const begun = { from, begun: at, holder: 'the migration' };
    await resumePoints(db).updateOne({ _id: STATISTICS.resumePoint }, { $setOnInsert: begun }, { upsert: true });
    yield* rebuildSteps(db, { isFirst: true, after, told: toldTo(log) });
    await resumePoints(db).updateOne({ _id: STATISTICS.resumePoint }, [
      { $set: { at: { $ifNull: ['$begun', '$at'] } } },
      { $unset: 'begun' },
    ]);
  },
};
