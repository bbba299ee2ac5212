import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection, Db, Document, Filter, ReadPreferenceMode } from 'mongodb';
import { Freshness } from '../change-streams/freshness.ts';
import type { TimeLimit } from '../entities/query.ts';
import { FACTS, ROLLUPS } from './apply-facts.ts';
import { STATISTICS } from './counted-changes.ts';
import { HOUR_MS, isRolledUp } from './job-cells.ts';
import { ALL_JOBS, ofRecord, type Role, type StoredFact } from './job-fact.ts';
import { type CoveredPeriod, covered, type Period, widened } from './period.ts';
import type { StoredRollup } from './rollups.ts';

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
}

/** The sum of a cell over the jobs of a scope in one workspace. */
export interface SummedCell {
  readonly workspace: string;
  readonly key: string;
  readonly n: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** Decimals of BSON, whose texts are the numbers. */
  readonly a: { toString(): string };
  readonly b: { toString(): string };
}

/** How long complete jobs waited for their last results, in milliseconds. */
export interface Delays {
  readonly median: number | null;
  readonly longest: number | null;
}

const SUMS = ['n', 'x', 'y', 'z', 'a', 'b'] as const;
const UNAVAILABLE_SNAPSHOT = 246;
const ATTEMPTS = 40;

/** Figures over many jobs, summed from what is kept; no document is read. */
export class KeptStatistics {
  readonly freshness: Freshness;
  readonly #facts: Collection<StoredFact>;
  readonly #rollups: Collection<StoredRollup>;

  constructor(db: Db, readPreference: ReadPreferenceMode = 'primary') {
    const options = { readConcern: { level: 'snapshot' }, readPreference } as const;
    this.freshness = new Freshness(db, STATISTICS);
    this.#facts = db.collection(FACTS, options);
    this.#rollups = db.collection(ROLLUPS, options);
  }

  /** Finds out what a scope is best summed from. */
  async cover(scope: JobScope): Promise<CoveredScope> {
    const { from, to, naming, time } = scope;
    if (naming.length > 1 || naming.some(({ role }) => role === 'vessel')) {
      return { ...scope, parts: covered(scope, []) };
    }
    const nearest = async (created_at: object, direction: 1 | -1) => {
      const options = { sort: { created_at: direction }, projection: { _id: 0, created_at: 1 }, ...time } as const;
      return (await retried(() => this.#facts.findOne({ ...jobsOf(scope), created_at }, options)))?.created_at;
    };
    const [before, after] = await Promise.all([nearest({ $lt: from }, -1), nearest({ $gte: to }, 1)]);
    const units = naming.length === 0 ? (['month', 'day'] as const) : (['month'] as const);
    return { ...scope, parts: covered(widened(scope, { before, after }), units) };
  }

  /** The cells of a facet, summed by workspace and key. */
  sums(scope: CoveredScope, facet: string): Promise<SummedCell[]> {
    const { time, naming } = scope;
    const isKept = isRolledUp(facet, naming.length > 0);
    const parts = isKept ? scope.parts : covered(scope, []);
    const sum = Object.fromEntries(SUMS.map((name) => [name, { $sum: `$${name}` }]));
    const total = [
      { $group: { _id: { workspace: '$workspace', key: '$key' }, ...sum } },
      { $replaceWith: { $mergeObjects: ['$$ROOT', '$_id'] } },
    ];
    const options = { ...time, allowDiskUse: true };
    const ofFacts = cellsOfFacts({ ...scope, parts }, facet);
    if (parts.rollups.length === 0) {
      return retried(() => this.#facts.aggregate<SummedCell>([...ofFacts, ...total], options).toArray());
    }
    const ofRollups = [{ $match: rollupsOf({ ...scope, parts }, facet) }, { $project: PROJECTION }];
    const union = parts.rest.length > 0 ? [{ $unionWith: { coll: FACTS, pipeline: ofFacts } }] : [];
    return retried(() => this.#rollups.aggregate<SummedCell>([...ofRollups, ...union, ...total], options).toArray());
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

const PROJECTION = { _id: 0, workspace: 1, key: 1, ...Object.fromEntries(SUMS.map((name) => [name, 1])) };

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

function rollupsOf(scope: CoveredScope, facet: string): Document {
  const [only] = scope.naming;
  const of = only ? { $in: only.ids.map((id) => ofRecord(only.role, id)) } : ALL_JOBS;
  const ranges = scope.parts.rollups.map(({ unit, from, to }) => ({ unit, start: { $gte: from, $lt: to } }));
  const { workspace, readers, declined } = scope;
  // Readers are a list, which an index cannot answer: who asks for a workspace has been let in already.
  const place =
    workspace === undefined ? { readers, ...(declined && { workspace: { $nin: [...declined] } }) } : { workspace };
  return { ...place, of, facet, $or: ranges };
}

function cellsOfFacts(scope: CoveredScope, facet: string): Document[] {
  const periods = scope.parts.rest.map(({ from, to }) => ({ created_at: { $gte: from, $lt: to } }));
  const period = periods.length === 1 ? periods[0] : { $or: periods };
  return [
    { $match: periods.length > 0 ? { ...jobsOf(scope), ...period } : { _id: { $in: [] } } },
    { $unwind: '$cells' },
    { $match: { 'cells.facet': facet } },
    { $replaceWith: { $mergeObjects: ['$cells', { workspace: '$workspace' }] } },
  ];
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
