import type { Collection, Db, Document, Filter, ReadPreferenceMode } from 'mongodb';
import { BatchedReads } from '../batching/batched-reads.ts';
import { QueuedReads } from '../batching/queued-reads.ts';
import { Freshness } from '../change-streams/freshness.ts';
import { type LongReads, longReadsOf } from '../connection/long-reads.ts';
import { AT_ONE_TIME, atSomeTime } from '../connection/snapshot-reads.ts';
import { keyOf, roughly, type TimeLimit } from '../entities/query.ts';
import { FACTS, ROLLUPS } from './apply-facts.ts';
import { ChangedMonths, type ToldMonths } from './changed-months.ts';
import { STATISTICS } from './counted-changes.ts';
import { HOUR_MS, ROLLED_UP, summedOf } from './job-cells.ts';
import { ALL_JOBS, ofRecord, type Role, type StoredFact } from './job-fact.ts';
import { type CoveredPeriod, covered, divided, type Period, widened } from './period.ts';
import type { StoredRollup, Unit } from './rollups.ts';
import { SettledSums } from './settled-sums.ts';
import {
  added,
  type CellSum,
  cellSumOf,
  type FoundSum,
  type Places,
  type SummedCell,
  summing,
  summingCells,
} from './summed-cells.ts';

/** Which jobs to count: those of one workspace, or all that a tenant may see, created in a period. */
export interface JobScope extends Period {
  readonly workspace?: string;
  readonly readers: string;
  /** Workspaces whose jobs are excluded. */
  readonly declined?: readonly string[];
  /** Jobs must name one of the records of each entry; requires a workspace. */
  readonly naming: readonly { readonly role: Role; readonly ids: readonly string[] }[];
  readonly time: TimeLimit;
}

/** A scope with the parts it is summed from. */
export interface CoveredScope extends JobScope {
  readonly parts: readonly PartOfScope[];
}

/**
 * Reads the cells of a facet for some of the jobs. Rollups of facets requested in one turn of the event loop are summed
 * together; whatever no rollup covers is read once for all rolled-up facets.
 */
type PartOfScope = (facet: string) => Promise<readonly CellSum[]>;
type ReadCells = (facets: readonly string[]) => Promise<readonly CellSum[]>;

interface Covering {
  readonly period: Period;
  readonly units: readonly Unit[];
}

interface AskedPart {
  readonly periods: readonly Period[];
  readonly units: readonly Unit[];
  /** The recorded changes, if sums are cached because none fall in these periods. */
  readonly told?: ToldMonths;
}

/** How long complete jobs waited for their last results, in milliseconds. */
export interface Delays {
  readonly median: number | null;
  readonly longest: number | null;
}

/** Sums arrive in one reply. */
const SUMMING = { allowDiskUse: true, batchSize: 10_000 } as const;

/** Figures over many jobs, summed from facts and rollups; no document is read. */
export class KeptStatistics {
  readonly freshness: Freshness;
  readonly #facts: Collection<StoredFact>;
  readonly #rollups: Collection<StoredRollup>;
  /** Requests for sums that are already being read share the next read. */
  readonly #sums = new QueuedReads<readonly CellSum[]>();
  readonly #settled = new SettledSums();
  readonly #changes: ChangedMonths;
  readonly #long: LongReads;
  /** False if reads may go to members that lag behind the one that reported changes. */
  readonly #remembers: boolean;
  readonly #nearest = new QueuedReads<Date | undefined>();

  constructor(db: Db, readPreference: ReadPreferenceMode = 'primary') {
    const options = { ...AT_ONE_TIME, readPreference } as const;
    this.freshness = new Freshness(db, STATISTICS);
    this.#changes = new ChangedMonths(db);
    this.#long = longReadsOf(db);
    this.#remembers = readPreference === 'primary';
    this.#facts = db.collection(FACTS, options);
    this.#rollups = db.collection(ROLLUPS, options);
  }

  /** Works out the best sources to sum a scope from. */
  async cover(scope: JobScope): Promise<CoveredScope> {
    const { from, to, naming, time } = scope;
    if (naming.length > 1 || naming.some(({ role }) => role === 'vessel'))
      return this.#covered(scope, await this.#told(scope), { period: { from, to }, units: [] });
    const nearest = (created_at: object, direction: 1 | -1) => {
      const options = { sort: { created_at: direction }, projection: { _id: 0, created_at: 1 }, ...time } as const;
      const filter = { ...jobsOf(scope), created_at };
      const read = () => atSomeTime(() => this.#facts.findOne(filter, options));
      return this.#nearest.share(keyOf(filter, direction, roughly(time)), async () => (await read())?.created_at);
    };
    const [told, before, after] = await Promise.all([
      this.#told(scope),
      nearest({ $lt: from }, -1),
      nearest({ $gte: to }, 1),
    ]);
    const units = naming.length === 0 ? (['month', 'day'] as const) : (['month'] as const);
    return this.#covered(scope, told, { period: widened(scope, { before, after }), units });
  }

  async #told(scope: JobScope): Promise<ToldMonths | undefined> {
    return this.#remembers ? this.#changes.of(scope, scope.time) : undefined;
  }

  /** Sums of months without changes are cached; all others are read. */
  #covered(scope: JobScope, told: ToldMonths | undefined, { period, units }: Covering): CoveredScope {
    if (!told) return { ...scope, parts: [this.#part(scope, { periods: [period], units })] };
    const { settled, ends, changing } = divided(period, told.months);
    // The ends are separate, so that other ends keep the days between cached, or are read with what must be read anyway.
    const others = changing.length > 0 ? { periods: [...ends, ...changing] } : { periods: ends, told };
    return {
      ...scope,
      parts: [this.#part(scope, { periods: settled, units, told }), this.#part(scope, { ...others, units })],
    };
  }

  #part(scope: JobScope, { periods, units, told }: AskedPart): PartOfScope {
    const parts = periods.map((period) => covered(period, units));
    const ranges = parts.flatMap(({ rollups }) => rollups);
    const between = parts.flatMap(({ rest }) => rest);
    const { time: _, from: __, to: ___, ...place } = scope;
    const remembered = (of: readonly Period[], facets: readonly string[], read: ReadCells) => {
      if (!told || of.length === 0) return read(facets);
      return this.#settled.cells({ of: keyOf(told.by, place, of), at: told.at }, facets, read);
    };
    const ofFacts = (of: readonly Period[], facets: readonly string[]) =>
      remembered(of, facets, (missing) => this.#ofFacts(scope, { periods: of, facets: missing }));
    let read: Promise<readonly CellSum[]> | undefined;
    const rest = () => (read ??= ofFacts(between, ROLLED_UP));
    const rollups = new BatchedReads(async (facets) => {
      const cells = await remembered(ranges, facets, (missing) => this.#ofRollups(scope, ranges, missing));
      return Map.groupBy(cells, ({ facet }) => facet);
    });
    return async (facet) => {
      if (!ROLLED_UP.includes(facet)) return ofFacts(periods, [facet]);
      const [whole = [], others] = await Promise.all([rollups.one(facet), rest()]);
      return [...whole, ...others.filter((cell) => cell.facet === facet)];
    };
  }

  /** The cells of a facet, summed by workspace and key. Each job is in only one part, so the parts need not be of the same moment. */
  async sums(scope: CoveredScope, facet: string): Promise<SummedCell[]> {
    const parts = await Promise.all(scope.parts.map((cells) => cells(facet)));
    return added(parts.flat(), scope.workspace);
  }

  async #ofRollups(
    scope: JobScope,
    ranges: CoveredPeriod['rollups'],
    facets: readonly string[],
  ): Promise<readonly CellSum[]> {
    if (ranges.length === 0) return [];
    const stages = [{ $match: rollupsOf(scope, ranges, facets) }, ...summing(placesIn(scope), summedOfAll(facets))];
    return this.#summed(this.#rollups, stages, scope);
  }

  async #ofFacts(scope: JobScope, { periods, facets }: FactsRequest): Promise<readonly CellSum[]> {
    if (periods.length === 0) return [];
    const stages = [
      { $match: { ...jobsOf(scope), $or: periods.map(({ from, to }) => ({ created_at: { $gte: from, $lt: to } })) } },
      ...summingCells(placesIn(scope), facets, summedOfAll(facets)),
    ];
    return this.#summed(this.#facts, stages, scope);
  }

  #summed(
    collection: Collection<StoredFact> | Collection<StoredRollup>,
    stages: Document[],
    { readers, time }: JobScope,
  ): Promise<readonly CellSum[]> {
    const sum = (left: TimeLimit) =>
      atSomeTime(() => collection.aggregate<FoundSum>(stages, { ...SUMMING, ...left }).toArray());
    const key = keyOf(collection.collectionName, stages, roughly(time));
    return this.#sums.share(key, async () => (await this.#long.run(readers, time, sum)).map(cellSumOf));
  }

  /** The median and the longest delay; the rollups tell which hours they fall in. */
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

  /** The delay at a position among all delays, in ascending order. */
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
      return (await atSomeTime(() => this.#facts.findOne(filter, options)))?.delay ?? null;
    }
    return null;
  }
}

interface FactsRequest {
  readonly periods: readonly Period[];
  readonly facets: readonly string[];
}

const placesIn = ({ workspace }: JobScope): Places => (workspace === undefined ? ['workspace'] : []);

const summedOfAll = (facets: readonly string[]): string[] => [
  ...new Set(facets.flatMap((facet) => [...summedOf(facet)])),
];

function placeOf({ workspace, readers, declined }: JobScope): Document {
  return workspace === undefined
    ? { readers, ...(declined && { workspace: { $nin: [...declined] } }) }
    : { workspace, readers };
}

/** The jobs of a scope, at any time. */
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
  // Readers are an array, which an index cannot cover; access to a workspace has been checked already.
  const place =
    workspace === undefined ? { readers, ...(declined && { workspace: { $nin: [...declined] } }) } : { workspace };
  return { ...place, of, facet: more.length === 0 ? facet : { $in: [facet, ...more] }, $or: ranges };
}
