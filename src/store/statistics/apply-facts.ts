import type { ClientSession, Db } from 'mongodb';
import { ReadLimit } from '../batching/read-limit.ts';
import { type Writes, writeMany } from '../batching/write-commands.ts';
import { type MonthOfJobs, monthOf, tellChanged } from './changed-months.ts';
import type { JobFact, StoredFact } from './job-fact.ts';
import { factFrom, sameFact, storedFact } from './job-fact.ts';
import { readFacts, rowsOf, withIds } from './read-facts.ts';
import { RollupSums, type StoredRollup } from './rollups.ts';

export const FACTS = 'job_facts';
export const ROLLUPS = 'statistics_rollups';

/** How many jobs to read and write together: other requests to this process wait meanwhile. */
export const JOBS_AT_ONCE = 1_000;
/** How many jobs to count in one transaction: the more there are, the more of them share sums. */
export const JOBS_IN_TRANSACTION = 2_000;

interface ApplyOptions {
  readonly session: ClientSession;
  /** False while the rollups have yet to be built from all facts. */
  readonly rollups: boolean;
  readonly limit?: ReadLimit;
}

/**
 * Brings the facts of jobs into line with their documents, and the rollups with the facts, in the session's transaction. Writes
 * only what is wrong, so a repeat changes nothing. Returns how many facts changed. Throws `TooMuchAtOnce` if the limit does not
 * allow for all of the jobs.
 */
export async function applyFacts(
  db: Db,
  ids: readonly string[],
  { session, rollups, limit = new ReadLimit(ids.length) }: ApplyOptions,
): Promise<number> {
  limit.begin();
  const sums = new RollupSums();
  const months: MonthOfJobs[] = [];
  let changed = 0;
  for (let at = 0; at < ids.length; at += JOBS_AT_ONCE) {
    const some = await applySome(db, ids.slice(at, at + JOBS_AT_ONCE), { session, limit });
    for (const [before, now] of rollups ? some : []) {
      if (before) sums.add(before, -1);
      if (now) sums.add(now, 1);
      months.push(...[before, now].flatMap((fact) => (fact ? monthOf(fact) : [])));
    }
    changed += some.length;
  }
  if (rollups) await addToRollups(db, session, sums);
  if (months.length > 0) await tellChanged(db, months, session);
  return changed;
}

/** The facts that changed, before and after. */
async function applySome(
  db: Db,
  ids: readonly string[],
  { session, limit }: Required<Pick<ApplyOptions, 'session' | 'limit'>>,
) {
  const facts = db.collection<StoredFact>(FACTS);
  const kept = await facts.find(withIds(ids) as never, { session, batchSize: 10_000 }).toArray();
  const before = new Map(kept.map((fact) => [fact._id, factFrom(fact)]));
  const now = await readFacts(rowsOf(db, session), ids, limit);
  const changed = ids.filter((id) => !sameFact(before.get(id), now.get(id)));
  await writeMany(db, FACTS, writesOf(changed, before, now), session);
  return changed.map((id) => [before.get(id), now.get(id)] as const);
}

type Facts = ReadonlyMap<string, JobFact>;

function writesOf(changed: readonly string[], before: Facts, now: Facts): Writes {
  const gone = changed.filter((id) => !now.has(id));
  const there = changed.flatMap((id) => now.get(id) ?? []);
  return {
    insert: there.filter(({ _id }) => !before.has(_id)).map(storedFact),
    update: there.filter(({ _id }) => before.has(_id)).map((fact) => ({ q: { _id: fact._id }, u: storedFact(fact) })),
    delete: gone.map((_id) => ({ q: { _id }, limit: 1 })),
  };
}

async function addToRollups(db: Db, session: ClientSession, sums: RollupSums): Promise<void> {
  const reduced = sums.reduced();
  await writeMany(db, ROLLUPS, { update: sums.additions() }, session);
  if (reduced.length > 0) {
    const empty = { _id: { $in: reduced }, n: { $lte: 0 } };
    await db.collection<StoredRollup>(ROLLUPS).deleteMany(empty, { session });
  }
}
