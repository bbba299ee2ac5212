import { LRUCache } from 'lru-cache';
import type { Collection, Document, Filter } from 'mongodb';
import { QueuedReads } from '../batching/queued-reads.ts';
import { longReadsOf } from '../connection/long-reads.ts';
import { AT_ONE_TIME, atSomeTime } from '../connection/snapshot-reads.ts';
import {
  type Comparable,
  keyOf,
  onlyValueOf,
  placeFilterOf,
  type Query,
  roughly,
  type TimeLimit,
} from '../entities/query.ts';
import { indexOf } from '../indexes/indexes.ts';
import { scanHintOf } from './range-reads.ts';

/** How many rows are counted in one go: about ten milliseconds' worth. */
const IN_ONE_RANGE = 50_000;
const MOST_RANGES = 4;
const REMEMBERED = 1_000;
const NEWEST_FIRST = { created_at: -1, _id: 1 } as const;

/** What is known from an earlier count; it affects only the speed of a count, not its result. */
interface Known {
  readonly rows: number;
  /** The starts of ranges of roughly equal size, newest first, if there are enough rows. */
  readonly starts: readonly Date[];
}

/**
 * Counts the rows that match filters. Large sets are counted in ranges of creation time, in parallel: each row is in exactly one
 * range, wherever the ranges begin.
 */
export class Totals {
  readonly #collection: Collection<Document>;
  readonly #inOneRange: number;
  readonly #counts = new QueuedReads<number>();
  readonly #known = new LRUCache<string, Known>({ max: REMEMBERED });

  constructor(collection: Collection<Document>, inOneRange = IN_ONE_RANGE) {
    this.#collection = collection;
    this.#inOneRange = inOneRange;
  }

  /** Requests made while the same rows are being counted, with about as much time left, share the next count. */
  count(query: Query, time: TimeLimit): Promise<number> {
    const { reader } = query;
    const filter = placeFilterOf(query);
    const key = keyOf(filter);
    return this.#counts.share(keyOf(reader, filter, roughly(time)), async () => {
      const hint = newestIndexOf(this.#collection.collectionName, query);
      if (hint === undefined) return this.#countAtOneTime(query, time);
      const { rows, starts } = await this.#counted(filter, this.#known.get(key), { ...time, reader, hint });
      this.#known.set(key, { rows, starts });
      return rows;
    });
  }

  /** How many rows match a query at one point in time: a change may move a row within whichever index is read. */
  #countAtOneTime(query: Query, time: TimeLimit): Promise<number> {
    const asked = { ...scanHintOf(this.#collection, { ...query, order: [] }), ...AT_ONE_TIME };
    return longReadsOf(this.#collection.db).run(query.reader, time, (left) =>
      atSomeTime(() => this.#collection.countDocuments(placeFilterOf(query), { ...left, ...asked })),
    );
  }

  /** How many rows match a filter, by the keys of an index that a change of a row leaves as they are. */
  #countByKeys(filter: Filter<Document>, { hint, reader, ...time }: Hinted): Promise<number> {
    // The count command counts index keys as they are; countDocuments makes a row of each for its pipeline.
    return longReadsOf(this.#collection.db).run(reader, time, (left) =>
      this.#collection.count(filter, { ...left, hint }),
    );
  }

  async #counted(filter: Filter<Document>, known: Known | undefined, options: Hinted): Promise<Known> {
    const ranges = Math.min(MOST_RANGES, Math.floor((known?.rows ?? 0) / this.#inOneRange));
    if (!known || ranges < 2) return { rows: await this.#countByKeys(filter, options), starts: [] };
    if (known.starts.length === 0) {
      const [rows, starts] = await Promise.all([
        this.#countByKeys(filter, options),
        this.#startsOf(filter, { rows: known.rows, ranges }, options),
      ]);
      return { rows, starts };
    }
    const counts = await Promise.all(
      rangesFrom(known.starts).map((created_at) => this.#countByKeys({ ...filter, created_at }, options)),
    );
    const rows = counts.reduce((sum, one) => sum + one, 0);
    const isEven = Math.max(...counts) * counts.length < rows * 2;
    return { rows, starts: isEven ? known.starts : [] };
  }

  /** The starts of ranges, read from the index keys. */
  async #startsOf(
    filter: Filter<Document>,
    { rows, ranges }: { readonly rows: number; readonly ranges: number },
    { reader: _, ...options }: Hinted,
  ): Promise<readonly Date[]> {
    const asked = { ...options, sort: NEWEST_FIRST, limit: 1, projection: { _id: 0, created_at: 1 } };
    const places = Array.from({ length: ranges - 1 }, (_, index) => Math.floor((rows * (index + 1)) / ranges));
    const found = await Promise.all(places.map((skip) => this.#collection.find(filter, { ...asked, skip }).toArray()));
    return found.flatMap(([row]) => (row?.created_at instanceof Date ? row.created_at : []));
  }
}

/** The reader that waits for a count, and the index it uses. */
interface Hinted extends TimeLimit {
  readonly reader: string;
  readonly hint: string;
}

/** The ranges into which these starts divide all time. */
const rangesFrom = (starts: readonly Date[]): readonly object[] =>
  [...starts, undefined].map((start, index) => {
    const before = starts[index - 1];
    return { ...(start && { $gte: start }), ...(before && { $lt: before }) };
  });

/** The index of a query's results by creation time, if it covers all that the query asks. */
function newestIndexOf(collection: string, query: Query): string | undefined {
  const equal: Record<string, Comparable> = { ...(query.indexed ?? query.scope) };
  if (query.containing || query.after) return undefined;
  for (const condition of query.conditions) {
    const only = onlyValueOf(condition);
    if (!only || only.stored in equal) return undefined;
    equal[only.stored] = only.value;
  }
  return indexOf(collection, equal, NEWEST_FIRST);
}
