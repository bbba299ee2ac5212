import type { Db, Filter } from 'mongodb';
import { JOB_TYPE } from '../../model/document-types/job.ts';
import type { Stored } from '../../model/entity/entity.ts';
import { idsInBatches } from '../batching/ids-in-batches.ts';
import { inPartsOfJobs, type ReadLimit, type ToldApart } from '../batching/read-limit.ts';
import type { ProjectionLog } from '../change-streams/projection.ts';
import { presentPosition, resumePoints } from '../change-streams/resume-point.ts';
import { inTransaction, type RunTransaction } from '../change-streams/snapshot-transactions.ts';
import { applyFacts, FACTS, JOBS_AT_ONCE } from './apply-facts.ts';
import { STATISTICS } from './counted-changes.ts';
import type { StoredFact } from './job-fact.ts';
import { forgetMalformed } from './malformed.ts';
import { months, type Work } from './months/rollup-months.ts';
import { withIds } from './read-facts.ts';

/** What one batch of a rebuild did. */
interface RebuildStep {
  /** Where to resume after an interruption. */
  readonly place: string;
  readonly read: number;
  readonly changed: number;
}

interface RebuildOptions {
  /** Nothing is stored yet, so rollups are built last, from all facts. */
  readonly isFirst: boolean;
  /** The place of the last completed step. */
  readonly after?: string | undefined;
  /** Runs each transaction; by default, plain MongoDB transactions. */
  readonly run?: RunTransaction | undefined;
  readonly told: ToldApart;
}

/** Logs the jobs that cannot be counted, or not with their reports. */
export const toldTo = (log: Pick<ProjectionLog, 'warn'>): ToldApart => ({
  exceededBy: (job) =>
    log.warn({ job }, 'a job has too many reports for statistics, or too large ones; it is counted without them'),
  leftOut: (job, err) =>
    log.warn({ job, err }, 'a job cannot be counted in statistics; it stays there as it was counted last'),
});

const WORKSPACES_AT_ONCE = 100;

/** Roughly how many documents a rebuild reads: all of them, and the facts of jobs twice, though there are none the first time. */
export async function rebuildTotal(db: Db): Promise<number> {
  const documents = db.collection<Stored>('documents');
  const stages = [{ $group: { _id: '$workspace' } }]; // by index keys, skipping over those of one workspace
  const workspaces = documents.aggregate<{ readonly _id: Stored['workspace'] }>(stages);
  let jobs = 0;
  for await (const some of idsInBatches(workspaces, WORKSPACES_AT_ONCE)) {
    jobs += await documents.countDocuments({ workspace: { $in: [...some] }, type: JOB_TYPE });
  }
  return (await documents.estimatedDocumentCount()) + 2 * jobs;
}

/** The result of a rebuild. */
interface Rebuilt {
  readonly read: number;
  readonly changed: number;
}

/** Recounts everything, even while a process maintains statistics; if none ever has, the first one starts from here. */
export async function rebuildStatistics(
  db: Db,
  told: ToldApart,
  progress: (read: number, total: number) => void,
): Promise<Rebuilt> {
  const { from, at } = await presentPosition(db);
  const total = await rebuildTotal(db);
  let [read, changed] = [0, 0];
  for await (const step of rebuildSteps(db, { isFirst: false, told })) {
    read += step.read;
    changed += step.changed;
    progress(read, total);
  }
  const begun = { from, at, holder: 'the rebuild' };
  await resumePoints(db).updateOne({ _id: STATISTICS.resumePoint }, { $setOnInsert: begun }, { upsert: true });
  return { read, changed };
}

type CountingWork = Work & Pick<RebuildOptions, 'told'>;

const STAGES = ['jobs', 'facts', 'months'] as const;
const BATCH = 1_000;

/**
 * Recounts everything, in batches that may be repeated: forgets what cannot be read, then come the facts of all jobs, those whose
 * jobs are gone, and the rollups of each month of a workspace. Changes may continue meanwhile.
 */
export async function* rebuildSteps(
  db: Db,
  { isFirst, after, run, told }: RebuildOptions,
): AsyncGenerator<RebuildStep> {
  const work: CountingWork = { db, isFirst, run: run ?? ((one) => inTransaction(db, one)), told };
  if (!isFirst && after === undefined) await forgetMalformed(db);
  const [from = 'jobs', id] = after?.split(/ (.*)/s) ?? [];
  const stages = STAGES.slice(Math.max(0, STAGES.indexOf(from as (typeof STAGES)[number])));
  for (const stage of stages) {
    const place = stage === from ? id : undefined;
    const steps = stage === 'jobs' ? jobs(work, place) : stage === 'facts' ? facts(work, place) : months(work, place);
    for await (const step of steps) yield { ...step, place: `${stage} ${step.place}` };
  }
}

async function* jobs(work: CountingWork, after: string | undefined): AsyncGenerator<RebuildStep> {
  const documents = work.db.collection<Stored>('documents');
  const options = { projection: { type: 1 }, sort: { _id: 1 }, limit: BATCH } as const;
  for (let place = after; ; ) {
    const filter: Filter<Stored> = place === undefined ? {} : { _id: { $gt: place } };
    const batch = await documents.find(filter, options).toArray();
    const last = batch.at(-1);
    if (!last) return;
    place = last._id;
    const ids = batch.flatMap(({ _id, type }) => (type === JOB_TYPE ? _id : []));
    yield { place, read: batch.length, changed: await applyAll(work, ids) };
  }
}

async function* facts(work: CountingWork, after: string | undefined): AsyncGenerator<RebuildStep> {
  const collection = work.db.collection<StoredFact>(FACTS);
  const options = { projection: { _id: 1 }, sort: { _id: 1 }, limit: BATCH } as const;
  for (let place = after; ; ) {
    const filter: Filter<StoredFact> = place === undefined ? {} : { _id: { $gt: place } };
    const batch = (await collection.find(filter, options).toArray()).map(({ _id }) => _id);
    const last = batch.at(-1);
    if (last === undefined) return;
    place = last;
    const there = await work.db
      .collection<Stored>('documents')
      .find(withIds(batch) as never, { projection: { _id: 1 } })
      .toArray();
    const present = new Set(there.map(({ _id }) => _id));
    const gone = batch.filter((id) => !present.has(id));
    yield { place, read: batch.length, changed: await applyAll(work, gone) };
  }
}

async function applyAll({ db, isFirst, run, told }: CountingWork, ids: readonly string[]): Promise<number> {
  const apply = (some: readonly string[], limit: ReadLimit) =>
    run((session) => applyFacts(db, some, { session, rollups: !isFirst, limit }));
  let changed = 0;
  for (let at = 0; at < ids.length; at += JOBS_AT_ONCE) {
    for await (const part of inPartsOfJobs(ids.slice(at, at + JOBS_AT_ONCE), apply, told)) changed += part;
  }
  return changed;
}
