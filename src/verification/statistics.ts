import { PROGRAM } from '../model/command-line.ts';
import { JOB_TYPE } from '../model/document-types/job.ts';
import type { Stored } from '../model/entity/entity.ts';
import { inPartsOfJobs } from '../store/batching/read-limit.ts';
import { isDocumentFault } from '../store/document-faults.ts';
import { FACTS, ROLLUPS } from '../store/statistics/apply-facts.ts';
import { STATISTICS } from '../store/statistics/counted-changes.ts';
import { factFrom, type JobFact, type StoredFact, sameFact } from '../store/statistics/job-fact.ts';
import { MALFORMED } from '../store/statistics/malformed.ts';
import { workspaceMonths, wrongRollups } from '../store/statistics/months/rollup-months.ts';
import { readFacts } from '../store/statistics/read-facts.ts';
import type { CollectionCheck, WholeCheck } from './finding.ts';
import type { Snapshot } from './snapshot.ts';

const REMEDY = `${PROGRAM} rebuild statistics sets it right.`;
const UNCOUNTED =
  'cannot be counted in statistics, and stays there as it was counted last: the log of the gateways says why.';

/** Jobs that statistics count differently from what their documents say. */
export async function countFaults(
  batch: readonly Stored[],
  snapshot: Snapshot,
): Promise<(readonly [id: string, fault: string])[]> {
  const ids = batch.flatMap(({ _id, type }) => (type === JOB_TYPE ? _id : []));
  if (ids.length === 0 || !(await stateOf(snapshot)).areKept) return [];
  const found = await snapshot.byIds<StoredFact>(FACTS, ids);
  const wanted = new Map<string, JobFact>();
  const uncounted = new Set<string>();
  const told = { exceededBy: () => undefined, leftOut: (job: string) => void uncounted.add(job) };
  for await (const facts of inPartsOfJobs(ids, (some, limit) => readFacts(snapshot, some, limit), told)) {
    for (const [id, fact] of facts) wanted.set(id, fact);
  }
  const kept = new Map(found.map((fact) => [fact._id, readable(fact)]));
  const wrong = ids.filter((id) => !uncounted.has(id) && !sameFact(wanted.get(id), kept.get(id)));
  return [
    ...[...uncounted].map((id) => [id, UNCOUNTED] as const),
    ...wrong.map((id) => [id, `is counted wrongly in statistics: ${REMEDY}`] as const),
  ];
}

/** A fact, unless it is of a form that no version writes. */
function readable(fact: StoredFact): JobFact | undefined {
  try {
    return factFrom(fact);
  } catch (error) {
    if (!isDocumentFault(error)) throw error;
    return undefined;
  }
}

/** Facts in the statistics: the job of each exists. */
export const jobFacts: CollectionCheck<StoredFact> = {
  collection: FACTS,
  async faults(batch, snapshot) {
    if (!(await stateOf(snapshot)).areKept) return [];
    const ids = batch.map(({ _id }) => _id);
    const filter = { _id: { $in: ids }, type: JOB_TYPE } as never;
    const there = new Set((await snapshot.find('documents', filter, ['type'])).map(({ _id }) => String(_id)));
    return ids.flatMap((id) =>
      there.has(id) ? [] : [[id, `is counted in statistics, and is no job: ${REMEDY}`] as const],
    );
  },
};

/** Rollups of the statistics: each is the sum of its facts, if all can be read. */
export const statisticsRollups: WholeCheck = {
  collection: ROLLUPS,
  async *findings(snapshot) {
    if (!(await stateOf(snapshot)).areCounted) return;
    let areReadable = true;
    for (const [collection, filter] of MALFORMED) {
      for await (const { _id: id } of snapshot.stream(collection, [{ $match: filter }, { $project: { _id: 1 } }])) {
        areReadable = false;
        yield { collection, id, fault: `is kept in a form that no version writes: ${REMEDY}` };
      }
    }
    if (!areReadable) return;
    for (const month of await workspaceMonths(snapshot)) {
      for await (const { wrong, surplus } of wrongRollups(snapshot, month)) {
        for (const { _id: id } of [...wrong, ...surplus])
          yield { collection: ROLLUPS, id, fault: `is not the sum of its jobs: ${REMEDY}` };
      }
    }
  },
};

/** Which statistics could not be compared, and why. */
export async function statisticsNotes(snapshot: Snapshot): Promise<string[]> {
  const { areCounted, areKept } = await stateOf(snapshot);
  if (!areCounted) return ['Statistics have not been counted to the end yet: they were not compared.'];
  return areKept ? [] : ['No gateway keeps statistics at present: only their sums were compared, not what they count.'];
}

interface StatisticsState {
  /** Whether all jobs have been counted once; until then there are facts without sums. */
  readonly areCounted: boolean;
  /** Whether a process keeps them up to date: without one, they lag behind the latest writes. */
  readonly areKept: boolean;
}

async function stateOf(snapshot: Snapshot): Promise<StatisticsState> {
  const names = { _id: { $in: [STATISTICS.lease, STATISTICS.resumePoint] } } as never;
  const found = await snapshot.find<{ until?: Date; at?: Date }>('leases', names, ['until', 'at']);
  const areCounted = found.some(({ at }) => at);
  return { areCounted, areKept: areCounted && found.some(({ until }) => until && until.getTime() > Date.now()) };
}
