import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection, Db, Document, Filter, ReadPreferenceMode } from 'mongodb';
import { BatchedReads } from '../batching/batched-reads.ts';
import { QueuedReads } from '../batching/queued-reads.ts';
import { Freshness } from '../change-streams/freshness.ts';
import { keyOf, roughly, type TimeLimit } from '../entities/query.ts';
import { FACTS, ROLLUPS } from './apply-facts.ts';
import { STATISTICS } from './counted-changes.ts';
import { HOUR_MS, ROLLED_UP, summedOf } from './job-cells.ts';
import { ALL_JOBS, ofRecord, type Role, type StoredFact } from './job-fact.ts';
import { type CoveredPeriod, covered, type Period, widened } from './period.ts';
import type { StoredRollup, Unit } from './rollups.ts';
import { added, type FoundSum, type SummedCell, summing } from './summed-cells.ts';

/** Which jobs are counted: those of one workspace, or all that a tenant may see, created in a period. */
export interface JobScope extends Period {
  readonly workspace?: string;
  readonly readers: string;
  /** Workspaces whose jobs are left out. */
  readonly declined?: readonly string[];
  /** Jobs name one of the records of each; a workspace is given then. */
  readonly naming: readonly { readonly role: Role; readonly ids: readonly string[] }[];
  readonly time: TimeLimit;
}

/** A scope with the parts that it is summed from. */
export interface CoveredScope extends JobScope {
  readonly parts: CoveredPeriod;
  /** The cells of what no rollup covers, of every facet that is rolled up: read once, when it is first asked for. */
  readonly rest: () => Promise<readonly FoundSum[]>;
  /** The rollups of each facet: those that are asked for in one turn of the event loop are summed together. */
  readonly rollups: BatchedReads<readonly FoundSum[]>;
}

/** How long complete jobs waited for their last results, in milliseconds. */
export interface Delays {
  readonly median: number | null;
  readonly longest: number | null;
}

/** Sums come in one answer. */
const SUMMING = { allowDiskUse: true, batchSize: 10_000 } as const;
const UNAVAILABLE_SNAPSHOT = 246;
const ATTEMPTS = 40;

/** Figures over many jobs, summed from what is kept; no document is read. */
export class KeptStatistics {
  readonly freshness: Freshness;
  readonly #facts: Collection<StoredFact>;
  readonly #rollups: Collection<StoredRollup>;
  /** Requests that ask for the same while it is being read share the next read. */
  readonly #sums = new QueuedReads<readonly FoundSum[]>();
  readonly #nearest = new QueuedReads<Date | undefined>();

  constructor(db: Db, readPreference: ReadPreferenceMode = 'primary') {
    const options = { readConcern: { level: 'snapshot' }, readPreference } as const;
    this.freshness = new Freshness(db, STATISTICS);
    this.#facts = db.collection(FACTS, options);
    this.#rollups = db.collection(ROLLUPS, options);
  }

  /** Finds out what a scope is best summed from. */
  async cover(scope: JobScope): Promise<CoveredScope> {
    const { from, to, naming, time } = scope;
    if (naming.length > 1 || naming.some(({ role }) => role === 'vessel')) return this.#covered(scope, scope, []);
    const nearest = (created_at: object, direction: 1 | -1) => {
      const options = { sort: { created_at: direction }, projection: { _id: 0, created_at: 1 }, ...time } as const;
      const filter = { ...jobsOf(scope), created_at };
      const read = () => retried(() => this.#facts.findOne(filter, options));
      return this.#nearest.share(keyOf(filter, direction, roughly(time)), async () => (await read())?.created_at);
    };
    const [before, after] = await Promise.all([nearest({ $lt: from }, -1), nearest({ $gte: to }, 1)]);
    const units = naming.length === 0 ? (['month', 'day'] as const) : (['month'] as const);
    return this.#covered(scope, widened(scope, { before, after }), units);
  }

  #covered(scope: JobScope, period: Period, units: readonly Unit[]): CoveredScope {
    const parts = covered(period, units);
    let read: Promise<readonly FoundSum[]> | undefined;
    const rest = () => (read ??= this.#ofFacts(scope, { periods: parts.rest, facets: ROLLED_UP }));
    const rollups = new BatchedReads(async (facets) =>
      Map.groupBy(await this.#ofRollups(scope, parts, facets), ({ _id: { facet = '' } }) => facet),
    );
    return { ...scope, parts, rest, rollups };
  }

  /** The cells of a facet, summed by workspace and key. A job is in one part alone, so that they need not be of one moment. */
  async sums(scope: CoveredScope, facet: string): Promise<SummedCell[]> {
    if (!ROLLED_UP.includes(facet)) {
      return added(await this.#ofFacts(scope, { periods: [scope], facets: [facet] }), scope.workspace);
    }
    const [rollups = [], rest] = await Promise.all([scope.rollups.one(facet), scope.rest()]);
    return added([...rollups, ...rest.filter(({ _id }) => _id.facet === facet)], scope.workspace);
  }

  async #ofRollups(
    scope: JobScope,
    { rollups }: CoveredPeriod,
    facets: readonly string[],
  ): Promise<readonly FoundSum[]> {
    if (rollups.length === 0) return [];
    const stages = [{ $match: rollupsOf(scope, rollups, facets) }, ...summingFacets(scope, facets)];
    return this.#summed(this.#rollups, stages, scope.time);
  }

  async #ofFacts(scope: JobScope, { periods, facets }: FactsRequest): Promise<readonly FoundSum[]> {
    if (periods.length === 0) return [];
    const stages = [
      { $match: { ...jobsOf(scope), $or: periods.map(({ from, to }) => ({ created_at: { $gte: from, $lt: to } })) } },
      { $unwind: '$cells' },
      { $match: { 'cells.facet': { $in: [...facets] } } },
      { $replaceWith: { $mergeObjects: ['$cells', { workspace: '$workspace' }] } },
      ...summingFacets(scope, facets),
    ];
    return this.#summed(this.#facts, stages, scope.time);
  }

  #summed(
    collection: Collection<StoredFact> | Collection<StoredRollup>,
    stages: Document[],
    time: TimeLimit,
  ): Promise<readonly FoundSum[]> {
    const sum = () => collection.aggregate<FoundSum>(stages, { ...SUMMING, ...time }).toArray();
    return this.#sums.share(keyOf(collection.collectionName, stages, roughly(time)), () => retried(sum));
  }

  /** The median and the longest delay; the hours that they are in are known from the rollups. */
  async delays(scope: CoveredScope): Promise<Delays> {
    const rows = await this.sums(scope, 'delay');
    const byHour = Map.groupBy(rows, ({ key }) => Number(key));
    const hours = [...byHour].map(([hour, some]) => ({ hour, n: some.reduce((all, { n }) => all + n, 0) }));
    hours.sort((a, b) => a.hour - b.hour);
    const count = hours.reduce((all, { n }) => all + n, 0);
    if (count === 0) return { median: null, longest: null };
    const [low, high, longest] = await Promise.all([
      this.#delayAt(scope, hours, Math.floor((count - 1) / 2)),
      this.#delayAt(scope, hours, Math.floor(count / 2)),
      this.#delayAt(scope, hours, count - 1),
    ]);
    return { median: low === null || high === null ? null : (low + high) / 2, longest };
  }

  /** The delay at a position among all of them, in ascending order. */
  async #delayAt(
    scope: CoveredScope,
    hours: readonly { readonly hour: number; readonly n: number }[],
    position: number,
  ): Promise<number | null> {
    let skip = position;
    for (const { hour, n } of hours) {
      if (skip >= n) {
        skip -= n;
        continue;
      }
      const fromTheEnd = skip > n / 2;
      const filter = {
        ...jobsOf(scope),
        delay: { $gte: hour * HOUR_MS, $lt: (hour + 1) * HOUR_MS },
        created_at: { $gte: scope.from, $lt: scope.to },
      } as Filter<StoredFact>;
      const options = {
        ...{ sort: { delay: fromTheEnd ? (-1 as const) : (1 as const) }, skip: fromTheEnd ? n - 1 - skip : skip },
        ...{ projection: { _id: 0, delay: 1 }, ...scope.time },
      };
      return (await retried(() => this.#facts.findOne(filter, options)))?.delay ?? null;
    }
    return null;
  }
}

interface FactsRequest {
  readonly periods: readonly Period[];
  readonly facets: readonly string[];
}

/** What sums are told apart by: workspaces, unless there is one alone. */
const placesIn = ({ workspace }: JobScope): readonly 'workspace'[] => (workspace === undefined ? ['workspace'] : []);

/** The stages that sum cells of any of the facets. */
const summingFacets = (scope: JobScope, facets: readonly string[]): Document[] =>
  summing(['facet', ...placesIn(scope)], [...new Set(facets.flatMap((facet) => [...summedOf(facet)]))]);

function placeOf({ workspace, readers, declined }: JobScope): Document {
  return workspace === undefined
    ? { readers, ...(declined && { workspace: { $nin: [...declined] } }) }
    : { workspace, readers };
}

/** The jobs of a scope, of any time. */
function jobsOf(scope: JobScope): Filter<StoredFact> {
  const { workspace, naming } = scope;
  const [only] = naming;
  const named = naming.map(({ role, ids }) => ({ of: { $in: ids.map((id) => ofRecord(role, id)) } }));
  if (!only) return { ...placeOf(scope), ...(workspace !== undefined && { of: ALL_JOBS }) };
  return { ...placeOf(scope), ...(named.length === 1 ? named[0] : { $and: named }) };
}

function rollupsOf(scope: JobScope, rollups: CoveredPeriod['rollups'], [facet, ...more]: readonly string[]): Document {
  const [only] = scope.naming;
  const of = only ? { $in: only.ids.map((id) => ofRecord(only.role, id)) } : ALL_JOBS;
  const ranges = rollups.map(({ unit, from, to }) => ({ unit, start: { $gte: from, $lt: to } }));
  const { workspace, readers, declined } = scope;
  // Readers are a list, which an index cannot answer: who asks for a workspace has been let in already.
  const place =
    workspace === undefined ? { readers, ...(declined && { workspace: { $nin: [...declined] } }) } : { workspace };
  return { ...place, of, facet: more.length === 0 ? facet : { $in: [facet, ...more] }, $or: ranges };
}

/** A snapshot cannot be read for a moment after a collection or an index was created. */
async function retried<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if ((error as { code?: unknown }).code !== UNAVAILABLE_SNAPSHOT || attempt === ATTEMPTS) throw error;
      await sleep(50);
    }
  }
}
