import type { ClientSession, Collection, Db } from 'mongodb';
import { writeMany } from '../batching/write-commands.ts';
import type { StoredResumePoint } from '../change-streams/resume-point.ts';
import type { TimeLimit } from '../entities/query.ts';
import { STATISTICS } from './counted-changes.ts';
import type { JobFact } from './job-fact.ts';
import { startOf } from './rollups.ts';

export const CHANGED_MONTHS = 'statistics_changes';
/** A month of a workspace in which a job's figures changed within the last hour, after which a TTL index removes it. */
interface ChangedMonth {
  readonly _id: string;
  readonly workspace: string;
  readonly readers: readonly string[];
  readonly month: Date;
  readonly at: Date;
}

export type MonthOfJobs = Pick<ChangedMonth, 'workspace' | 'readers' | 'month'>;

/** Records which months change, in the transaction that changes their facts or rollups. */
export async function tellChanged(db: Db, months: readonly MonthOfJobs[], session: ClientSession): Promise<void> {
  const told = new Map(months.map((one) => [idOf(one), one]));
  const update = [...told].map(([_id, { workspace, readers, month }]) => {
    const u = { $setOnInsert: { workspace, readers, month }, $currentDate: { at: true } };
    return { q: { _id }, u, upsert: true };
  });
  await writeMany(db, CHANGED_MONTHS, { update }, session);
}

export const monthOf = ({ workspace, readers, created_at }: JobFact): MonthOfJobs => ({
  ...{ workspace, readers },
  month: startOf('month', created_at),
});

/** The months of a scope in which figures changed within the last hour. */
export interface ToldMonths {
  readonly months: readonly Date[];
  /** The process that records them: changes made by earlier ones are not included. */
  readonly by: string;
  /** When this was read, by the clock that expires them. */
  readonly at: Date;
}

/** Tells readers of statistics what has changed recently. */
export class ChangedMonths {
  readonly #points: Collection<StoredResumePoint>;

  constructor(db: Db) {
    this.#points = db.collection('leases', { readConcern: { level: 'majority' } });
  }

  /** Undefined if an earlier version maintains the statistics, since it does not record changes. */
  async of(
    { workspace, readers }: { workspace?: string; readers: string },
    time: TimeLimit,
  ): Promise<ToldMonths | undefined> {
    const place = workspace === undefined ? { readers } : { workspace };
    const months = [{ $match: place }, { $group: { _id: '$month' } }];
    const stages = [
      { $match: { _id: STATISTICS.resumePoint } },
      { $lookup: { from: CHANGED_MONTHS, pipeline: months, as: 'changed' } },
      { $project: { changed: 1, holder: 1, teller: 1, now: '$$NOW' } },
    ];
    const [found] = await this.#points.aggregate<FoundChanges>(stages, time).toArray();
    if (!found || found.teller !== found.holder) return undefined;
    return { months: found.changed.map(({ _id }) => _id), by: found.holder, at: found.now };
  }
}

interface FoundChanges {
  readonly holder: string;
  readonly teller?: string;
  readonly changed: readonly { readonly _id: Date }[];
  readonly now: Date;
}

const idOf = ({ workspace, month }: MonthOfJobs): string => `${workspace} ${month.getTime()}`;
