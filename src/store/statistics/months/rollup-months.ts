import type { ClientSession, Db } from 'mongodb';
import { writeMany } from '../../batching/write-commands.ts';
import type { RunTransaction } from '../../change-streams/snapshot-transactions.ts';
import { inPartsOf } from '../../in-parts.ts';
import { FACTS, ROLLUPS } from '../apply-facts.ts';
import { tellChanged } from '../changed-months.ts';
import { factFrom, type StoredFact } from '../job-fact.ts';
import { type RowReader, rowsOf } from '../read-facts.ts';
import { RollupSums, type StoredRollup, sameRollup } from '../rollups.ts';
import {
  factsIn,
  halvesOf,
  hasPeriod,
  type MonthPart,
  type RollupPlace,
  rollupsIn,
  type WorkspaceMonth,
  wholeMonth,
} from './month-parts.ts';

/** How many rollups to compare, and perhaps to write, at once: some 50 MB, and a transaction of a few seconds. */
const MOST_ROLLUPS = 25_000;
/** How long to read in one transaction, in milliseconds: half of the time that it has by default. */
const MOST_MS = 10_000;

/** Rollups of a month that are missing or wrong, and those that are superfluous. */
interface WrongRollups {
  readonly wrong: readonly StoredRollup[];
  readonly surplus: readonly StoredRollup[];
}

/** The context of a rebuild. */
export interface Work {
  readonly db: Db;
  readonly isFirst: boolean;
  readonly run: RunTransaction;
}

/**
 * Rebuilds all rollups as the sums of their facts, month by month, a large one in parts. The first time, nobody else writes any, so
 * they are summed before the transaction, which has a time limit.
 */
export async function* months({ db, isFirst, run }: Work, after = '') {
  let place = after;
  for (const { facts, ...one } of await workspaceMonths(rowsOf(db))) {
    if (placeOf(one) <= after) continue;
    const rightPart = async (part: MonthPart) => {
      const found = isFirst ? await wrongIn(rowsOf(db), one, part) : undefined;
      return run(async (session) => {
        const wrong = found ?? (await wrongIn(rowsOf(db, session), one, part, MOST_MS));
        return write(db, one, wrong, session);
      });
    };
    let last: number | undefined;
    for await (const changed of inPartsOf(wholeMonth(one), rightPart, halves)) {
      if (last !== undefined) yield { place, read: 0, changed: last }; // an interrupted month begins again
      last = changed;
    }
    place = placeOf(one);
    yield { place, read: facts, changed: last ?? 0 };
  }
}

/** The months of workspaces that have any data, in order, and how many facts each has. */
export async function workspaceMonths(rows: RowReader): Promise<(WorkspaceMonth & { readonly facts: number })[]> {
  const found = new Map<string, WorkspaceMonth & { readonly facts: number }>();
  const sources = [
    [ROLLUPS, '$start', 0],
    [FACTS, '$created_at', 1],
  ] as const;
  for (const [name, time, fact] of sources) {
    const month = { $dateTrunc: { date: time, unit: 'month' } };
    const stages = [{ $group: { _id: { workspace: '$workspace', month }, facts: { $sum: fact } } }];
    for await (const { _id, facts } of rows.stream<{ _id: WorkspaceMonth; facts: number }>(name, stages))
      found.set(placeOf(_id), { ..._id, facts });
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** The rollups of a month that are not the sums of its facts, in parts that take little memory. */
export const wrongRollups = (rows: RowReader, one: WorkspaceMonth): AsyncGenerator<WrongRollups> =>
  inPartsOf(wholeMonth(one), (part) => wrongIn(rows, one, part), halves);

/** A part of a month has too many rollups, or takes too long to sum. */
class TooLargePart extends Error {
  readonly halves: readonly MonthPart[];

  constructor(halves: readonly MonthPart[]) {
    super('The part of the month has too many rollups, or takes too long to sum.');
    this.halves = halves;
  }
}

const halves = (error: unknown): readonly MonthPart[] | undefined =>
  error instanceof TooLargePart ? error.halves : undefined;

/** The wrong rollups of a part. Throws `TooLargePart` where that takes too much memory or time, and its halves take less. */
async function wrongIn(
  rows: RowReader,
  one: WorkspaceMonth,
  part: MonthPart,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<WrongRollups> {
  let until = performance.now() + mostMs;
  const check = (size: number, found: () => readonly RollupPlace[]) => {
    const byFewerJobs = size <= MOST_ROLLUPS;
    if (byFewerJobs && performance.now() < until) return;
    const parts = halvesOf(part, found(), { byFewerJobs });
    if (parts) throw new TooLargePart(parts);
    until = Number.POSITIVE_INFINITY; // its facts are read to the end, however long that takes
  };
  const sums = new RollupSums((unit, start) => hasPeriod(part, unit, start));
  for await (const fact of rows.stream<StoredFact>(FACTS, factsIn(one, part))) {
    sums.add(factFrom(fact), 1);
    check(sums.size, () => sums.sums);
  }
  const wanted = new Map(sums.whole().map((rollup) => [rollup._id, rollup]));
  const surplus: StoredRollup[] = [];
  for await (const rollup of rows.stream<StoredRollup>(ROLLUPS, rollupsIn(one, part))) {
    const right = wanted.get(rollup._id);
    if (!right) surplus.push(rollup);
    else if (sameRollup(right, rollup)) wanted.delete(rollup._id);
    check(surplus.length, () => surplus);
  }
  return { wrong: [...wanted.values()], surplus };
}

/** Corrects rollups of a month, and returns how many were wrong. */
async function write(
  db: Db,
  one: WorkspaceMonth,
  { wrong, surplus }: WrongRollups,
  session: ClientSession,
): Promise<number> {
  const [first] = [...wrong, ...surplus];
  if (!first) return 0;
  await tellChanged(db, [{ ...one, readers: first.readers }], session);
  const writes = {
    update: wrong.map((rollup) => ({ q: { _id: rollup._id }, u: rollup, upsert: true })),
    delete: surplus.map(({ _id }) => ({ q: { _id }, limit: 1 as const })),
  };
  await writeMany(db, ROLLUPS, writes, session);
  return wrong.length + surplus.length;
}

const placeOf = ({ workspace, month }: WorkspaceMonth): string => `${workspace} ${month.toISOString()}`;
