import type { Collection, Document, Long } from 'mongodb';
import { STREAMED_PAGE } from '../../model/streamed-page.ts';
import { CoalescedReads } from '../batching/coalesced-reads.ts';
import { killCursor } from '../batching/find-command.ts';
import { type LongReads, longReadsOf } from '../connection/long-reads.ts';
import { AT_ONE_TIME, atSomeTime, readAtOneTime, StepsAtOneTime } from '../connection/snapshot-reads.ts';
import {
  type Comparable,
  filterOf,
  isComputed,
  keyOf,
  type Query,
  roughly,
  type TimeLimit,
} from '../entities/query.ts';
import type { RawEntity } from '../entities/read-entity.ts';
import { type EntityCursor, findAll, RowReader, type Rows } from '../entities/row-reader.ts';
import { listCursor, listRows } from '../sorting/list-cursor.ts';
import { FirstRowsApart } from './first-rows-apart.ts';
import { isNewest, isNewestBelowOne, JoinedChildren, mayTakeLong } from './joined-children.ts';
import { type FewWindow, JoinedLookups } from './joined-lookups.ts';
import { ListInParts, type PartReader } from './list-in-parts.ts';
import { ListInTurn } from './list-in-turn.ts';
import { isByIndex, isUnindexed, placeAt, placeIn, readHintOf, readRanges, scanHintOf } from './range-reads.ts';
import { ResumingReader } from './resuming-reader.ts';
import { SizedReads } from './sized-reads.ts';
import { isAgainstIndex, readTied } from './tied-order.ts';
import { Totals } from './totals.ts';

/** Where in a list to read: how many rows to skip, how long MongoDB may take, and the steps at one time that this is one of. */
export interface Window extends TimeLimit {
  readonly offset: number;
  readonly steps?: StepsAtOneTime | undefined;
}

/** How many rows after another are read to pass over them. */
const MOST_PASSED = 10_000;

interface Hint {
  readonly hint?: string;
}

/** The ids of what was found. */
export interface Found {
  readonly ids: readonly string[];
  readonly workspaces: readonly (string | null)[];
}

interface PageWindow extends Window {
  readonly limit: number;
}

/** Which rows of a query to read. */
interface Part extends Omit<PageWindow, 'offset'>, Hint {
  readonly skip: number;
}

/** Reads lists from a collection. */
export class ListReads {
  readonly #collection: Collection<Document>;
  readonly #long: LongReads;
  readonly #pages = new CoalescedReads<Rows>();
  readonly #sized = new SizedReads();
  readonly #totals: Totals;
  readonly #first = (query: Query, window: FewWindow) => this.#read(query, { ...window, skip: 0 });
  readonly #lookups = new JoinedLookups(this.#first);
  readonly #children = new JoinedChildren(this.#first);

  constructor(collection: Collection<Document>) {
    this.#collection = collection;
    this.#long = longReadsOf(collection.db);
    this.#totals = new Totals(collection);
  }

  /** The rows of one page of a list; concurrent requests for the same page share one read, except for steps at one time. */
  page(query: Query, window: PageWindow): Promise<Rows> {
    const { offset, limit, steps, ...time } = window;
    if (steps) return this.#page(query, window);
    if (offset === 0 && isNewestBelowOne(query)) return this.#children.first(query, { limit, ...time });
    return this.#pages.share(keyOf(query, offset, limit, roughly(time)), () => this.#page(query, window));
  }

  async #page(query: Query, window: PageWindow): Promise<Rows> {
    const { offset, ...part } = window;
    if (this.#isTied(query, offset)) return this.#tied(query, window);
    const passed = await this.#passedOver(query, window);
    if (passed) return passed;
    const hint = (offset > 0 ? readHintOf : scanHintOf)(this.#collection, query);
    const read = (of: Query) => this.#read(of, { ...part, skip: offset, ...hint });
    const byKeys = offset > 0 ? passedOverByKeys(query) : undefined;
    return byKeys ? readScoped(query, byKeys, read) : read(query);
  }

  /** Rows of a list at one point in time, unless they are read by keys that never change. */
  #read(query: Query, { steps, ...window }: Part): Promise<Rows> {
    const { reader } = query;
    if (!steps && !mayTakeLong(query, window.skip))
      return this.#sized.run(reader, window, (left) => listRows(this.#collection, query, left));
    const read = (left: Omit<Part, 'steps'>, atThatTime = {}) =>
      listRows(this.#collection, query, { ...left, ...atThatTime });
    return this.#inTurn(reader, window, (left) =>
      !steps && isNewest(query)
        ? atSomeTime(() => read(left))
        : readAtOneTime(steps, (atThatTime) => read(left, atThatTime())),
    );
  }

  /** Reads rows that may take long to find, when it is the reader's turn. */
  #inTurn<W extends TimeLimit>(reader: string, window: W, read: (left: W) => Promise<Rows>): Promise<Rows> {
    return this.#long.run(reader, window, (left) => this.#sized.run(reader, left, read));
  }

  /** The results of a query, unordered; undefined if there are more than `limit`. */
  few(query: Query, window: FewWindow): Promise<readonly RawEntity[] | undefined> {
    return this.#lookups.few(query, window);
  }

  /** The ids of a query's results, unordered, and the workspaces they are in. */
  async ids(query: Query, { limit, ...time }: TimeLimit & { readonly limit: number }): Promise<Found> {
    const asked = { filter: filterOf(query), projection: { workspace: 1 }, limit, batchSize: limit + 1 };
    const rows = await this.#long.run(query.reader, time, (left) => findAll(this.#collection, { ...asked, ...left }));
    return { ids: rows.map(({ id }) => id), workspaces: [...new Set(rows.map(({ partition }) => partition))] };
  }

  /** Whether an index may have the order except for its ties. */
  #isTied(query: Query, offset: number): boolean {
    return isAgainstIndex(query, offset) && !isUnindexed(this.#collection, query);
  }

  /** The rows of one page of a list ordered opposite to its index. */
  #tied(query: Query, { offset, limit, ...time }: PageWindow): Promise<Rows> {
    return this.#inTurn(query.reader, time, (left) =>
      readRanges(this.#collection, left, (reads) => readTied(query, { offset, limit }, reads)),
    );
  }

  /**
   * The same at an offset from a row; undefined where rows cannot be passed over by reading them. A sort would read the list to its end.
   */
  async #passedOver(query: Query, { offset, limit, ...time }: PageWindow): Promise<Rows | undefined> {
    if (!query.after || offset === 0 || offset > MOST_PASSED || !isAgainstIndex(query, 0)) return undefined;
    if (!isByIndex(this.#collection, query)) return undefined;
    const { nodes, hasMore } = await this.#tied(query, { ...time, offset: 0, limit: offset + limit });
    const isCut = hasMore && nodes.length < offset + limit;
    return isCut ? undefined : { nodes: nodes.slice(offset), hasMore };
  }

  /** All rows of a list from an offset on, in order, read on demand. */
  stream(query: Query, window: Window): EntityCursor {
    const { offset } = window;
    const rest = (last: RawEntity) => this.#sorted(restAfter(query, last), { ...window, offset: 0 });
    if (this.#isTied(query, offset)) {
      if (isByIndex(this.#collection, query)) return new ListInParts(this.#tiedParts(query, window));
      return new ListInParts(new FirstRowsApart({ first: (limit) => this.#tied(query, { ...window, limit }), rest }));
    }
    if (isBelowOne(query))
      return new ListInParts(new FirstRowsApart({ first: (limit) => this.page(query, { ...window, limit }), rest }));
    return this.#sorted(query, window);
  }

  /** Rows read from one cursor, in the order of an index or sorted. */
  #sorted(query: Query, { offset, steps, ...time }: Window): EntityCursor {
    const begin = (last: RawEntity | undefined, left: TimeLimit) => {
      const [part, skip] = last ? [restAfter(query, last), 0] : [query, offset];
      const hint = scanHintOf(this.#collection, query);
      const reading = { ...left, ...(steps?.options() ?? AT_ONE_TIME), batchSize: STREAMED_PAGE, skip, ...hint };
      const kill = steps && ((id: Long) => killCursor(this.#collection, id));
      return new RowReader(listCursor(this.#collection, part, reading), kill);
    };
    const list = new ListInParts(new ResumingReader(time, { begin, restart: () => steps?.restart() }));
    return new ListInTurn(list, (read) =>
      mayTakeLong(query, offset) ? this.#inTurn(query.reader, time, read) : this.#sized.run(query.reader, time, read),
    );
  }

  /** Parts of a list ordered opposite to its index, each read by it: a sort would read the whole list anew for each part. */
  #tiedParts(query: Query, { steps: shared, ...window }: Window): PartReader {
    const steps = shared ?? new StepsAtOneTime(this.#collection.db);
    return {
      read: (limit, last) =>
        last
          ? this.#tied(restAfter(query, last), { ...window, offset: 0, limit, steps })
          : this.#tied(query, { ...window, limit, steps }),
      close: async () => (shared ? undefined : steps.end()),
    };
  }

  /** The sort values of the row at a position in a list; read from the index alone if one covers the query. */
  placeAt(query: Query, { offset, steps, ...time }: Window): Promise<readonly Comparable[] | undefined> {
    return this.#long.run(query.reader, time, (left) =>
      readAtOneTime(steps, (atThatTime) => placeAt(this.#collection, query, { offset, ...left, ...atThatTime() })),
    );
  }

  /** How many rows match a query. Requests made while the same rows are being counted share the next count. */
  count(query: Query, time: TimeLimit): Promise<number> {
    return this.#totals.count(query, time);
  }
}

/** The rest of a list after a row. */
const restAfter = (query: Query, last: RawEntity): Query => ({
  ...query,
  after: placeIn(query, (path) => last.stored(path)),
});

/** Whether all rows are below one document, where they are few, rarely more than a page: one command reads them without a cursor. */
const isBelowOne = ({ scope, order }: Query): boolean => scope.parent_id !== undefined && !order.some(isComputed);

/** A query without the conditions that require fetching each skipped row, if an index covers the rest. */
function passedOverByKeys({ indexed, ...query }: Query): Query | undefined {
  const isInKeys = query.conditions.length === 0 && !query.containing && !query.order.some(isComputed);
  return indexed && isInKeys ? { ...query, scope: indexed } : undefined;
}

/** Rows read by index keys alone if all of them are in the full scope, as they are for readers who may see the list. */
async function readScoped(query: Query, byKeys: Query, read: (of: Query) => Promise<Rows>): Promise<Rows> {
  const rows = await read(byKeys);
  const scope = Object.entries(query.scope).filter(([name]) => byKeys.scope[name] === undefined);
  const isIn = (row: RawEntity): boolean =>
    scope.every(([name, wanted]) => {
      const value = row.stored(name);
      return Array.isArray(value) ? value.includes(wanted) : value === wanted;
    });
  return rows.nodes.every(isIn) ? rows : read(query);
}
