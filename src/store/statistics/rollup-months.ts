import type { ClientSession, Db } from 'mongodb';
import type { RunTransaction } from '../change-streams/snapshot-transactions.ts';
import { FACTS, ROLLUPS } from './apply-facts.ts';
import { tellChanged } from './changed-months.ts';
import { ALL_JOBS, factFrom, type StoredFact } from './job-fact.ts';
import { type RowReader, rowsOf } from './read-facts.ts';
import { RollupSums, type StoredRollup, sameRollup, startOf } from './rollups.ts';

/** The jobs of a workspace that were created in the same month. */
export interface WorkspaceMonth {
  readonly workspace: string;
  readonly month: Date;
}

/** The rollups of a month: the sums of its facts, and what is stored. */
export interface MonthOfRollups {
  readonly wanted: ReadonlyMap<string, StoredRollup>;
  readonly kept: ReadonlyMap<string, StoredRollup>;
  /** How many facts were summed. */
  readonly facts: number;
}

/** The context of a rebuild. */
export interface Work {
  readonly db: Db;
  readonly isFirst: boolean;
  readonly run: RunTransaction;
}

/**
 * Rebuilds all rollups as the sums of their facts, month by month. The first time, nobody else writes any, so they are summed
 * before the transaction, which has a time limit.
 */
export async function* months({ db, isFirst, run }: Work, after: string | undefined) {
  for (const one of await workspaceMonths(rowsOf(db))) {
    const place = placeOf(one);
    if (after !== undefined && place <= after) continue;
    const summed = isFirst ? await rollupsOfMonth(rowsOf(db), one) : undefined;
    const done = await run(async (session) => {
      const month = summed ?? (await rollupsOfMonth(rowsOf(db, session), one));
      return { read: month.facts, changed: await rightMonth(db, one, month, session) };
    });
    yield { place, ...done };
  }
}

/** The months of workspaces that have any data, in order. */
export async function workspaceMonths(rows: RowReader): Promise<WorkspaceMonth[]> {
  const found = new Map<string, WorkspaceMonth>();
  const sources = [
    [FACTS, '$created_at'],
    [ROLLUPS, '$start'],
  ] as const;
  for (const [name, time] of sources) {
    const month = { $dateTrunc: { date: time, unit: 'month' } };
    const stages = [{ $group: { _id: { workspace: '$workspace', month } } }];
    for await (const { _id } of rows.stream<{ _id: WorkspaceMonth }>(name, stages)) found.set(placeOf(_id), _id);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** The expected and the actual rollups of a month. */
export async function rollupsOfMonth(rows: RowReader, { workspace, month }: WorkspaceMonth): Promise<MonthOfRollups> {
  const range = { $gte: month, $lt: startOf('month', month, 1) };
  const sums = new RollupSums();
  const ofFacts = [{ $match: { workspace, of: ALL_JOBS, created_at: range } }];
  let facts = 0;
  for await (const fact of rows.stream<StoredFact>(FACTS, ofFacts)) {
    sums.add(factFrom(fact), 1);
    facts += 1;
  }
  const kept = new Map<string, StoredRollup>();
  const ofRollups = [{ $match: { workspace, start: range } }];
  for await (const rollup of rows.stream<StoredRollup>(ROLLUPS, ofRollups)) kept.set(rollup._id, rollup);
  return { wanted: new Map(sums.whole().map((rollup) => [rollup._id, rollup])), kept, facts };
}

/** The rollups of a month that are missing or wrong, and those that are superfluous. */
export function wrongRollups({ wanted, kept }: Pick<MonthOfRollups, 'wanted' | 'kept'>): {
  wrong: StoredRollup[];
  surplus: string[];
} {
  return {
    wrong: [...wanted.values()].filter((rollup) => !sameRollup(rollup, kept.get(rollup._id))),
    surplus: [...kept.keys()].filter((id) => !wanted.has(id)),
  };
}

/** Corrects the rollups of a month, and returns how many were wrong. */
async function rightMonth(db: Db, one: WorkspaceMonth, month: MonthOfRollups, session: ClientSession): Promise<number> {
  const options = { session, ordered: false };
  const collection = db.collection<StoredRollup>(ROLLUPS);
  const { wrong, surplus } = wrongRollups(month);
  const [first] = [...wrong, ...surplus.flatMap((id) => month.kept.get(id) ?? [])];
  if (!first) return 0;
  await tellChanged(db, [{ ...one, readers: first.readers }], session);
  if (month.kept.size === 0) {
    await collection.insertMany(wrong, options);
    return wrong.length;
  }
  const writes = [
    ...wrong.map((rollup) => ({
      replaceOne: { filter: { _id: rollup._id }, replacement: rollup, upsert: true },
    })),
    ...surplus.map((_id) => ({ deleteOne: { filter: { _id } } })),
  ];
  await collection.bulkWrite(writes, options);
  return writes.length;
}

const placeOf = ({ workspace, month }: WorkspaceMonth): string => `${workspace} ${month.toISOString()}`;
