import type { Db } from 'mongodb';
import { resumePoints } from '../change-streams/resume-point.ts';
import { STATISTICS } from '../statistics/counted-changes.ts';
import { rebuildSteps, rebuildTotal, toldTo } from '../statistics/rebuild.ts';
import type { Migration } from './migration.ts';

/**
 * Recounts all jobs by this version's rules, even while a process maintains statistics. If they were never counted, as in a
 * restored backup, the first gateway does it.
 */
export const countedAnew: Migration = {
  title: 'statistics are counted anew',
  isRepeatable: true,
  total: async (db) => ((await areCounted(db)) ? rebuildTotal(db) : 0),
  async *steps(db: Db, after: string | undefined, log) {
    if (await areCounted(db)) yield* rebuildSteps(db, { isFirst: false, after, told: toldTo(log) });
  },
};

const areCounted = async (db: Db): Promise<boolean> =>
  (await resumePoints(db).countDocuments({ _id: STATISTICS.resumePoint, at: { $exists: true } }, { limit: 1 })) > 0;
