import { Departures } from '../batching/departures.ts';
import { keyOf, type Order, type Query, roughly, type TimeLimit } from '../entities/query.ts';
import type { Rows } from '../entities/row-reader.ts';

/** The most rows of a joined read to hold; beyond that, each document's rows are read separately. */
const MOST_ROWS = 1_000;

/** How many rows to read, and how long MongoDB may take. */
interface FirstWindow extends TimeLimit {
  readonly limit: number;
}

/** The first rows below a requested document; undefined if the joined read does not include them. */
type RowsBelow = (parent: string) => Rows | undefined;

interface Joined {
  readonly parents: Set<string>;
  readonly found: Promise<RowsBelow>;
}

/**
 * Reads the first rows below a document, newest first. Requests in one scope made in the same turn of the event loop, or while
 * such a read is in flight, are batched into one read across requests, by the index of the rows below each document. Nothing is
 * cached.
 */
export class JoinedChildren {
  readonly #read: (query: Query, window: FirstWindow) => Promise<Rows>;
  readonly #departures = new Departures();
  readonly #open = new Map<string, Joined>();

  constructor(read: (query: Query, window: FirstWindow) => Promise<Rows>) {
    this.#read = read;
  }

  /** The first rows of a query for which `isNewestBelowOne` is true. */
  async first(query: Query, window: FirstWindow): Promise<Rows> {
    const { parent_id: parent = '', ...scope } = query.scope;
    const key = keyOf(query.reader, scope, window.limit, roughly(window));
    const joined = this.#open.get(key) ?? this.#begin(key, { ...query, scope }, window);
    joined.parents.add(parent);
    const found = await joined.found;
    return found(parent) ?? this.#read(query, window);
  }

  /** Starts collecting a batch. */
  #begin(key: string, { reader, scope, order }: Query, window: FirstWindow): Joined {
    const parents = new Set<string>();
    const found = this.#departures.leave(key, () => {
      this.#open.delete(key);
      return this.#together([...parents], { reader, scope, conditions: [], order }, window);
    });
    const joined = { parents, found };
    this.#open.set(key, joined);
    return joined;
  }

  async #together(parents: readonly string[], query: Query, { limit, ...time }: FirstWindow): Promise<RowsBelow> {
    const [only, ...others] = parents;
    if (only !== undefined && others.length === 0) {
      const rows = await this.#read({ ...query, scope: { ...query.scope, parent_id: only } }, { limit, ...time });
      return () => rows;
    }
    const conditions = [{ stored: 'parent_id', anyOf: parents }];
    const order = [BY_PARENT, ...query.order];
    const { nodes, hasMore } = await this.#read({ ...query, conditions, order }, { limit: MOST_ROWS, ...time });
    const cutAt = nodes.at(-1)?.parentId ?? '';
    const below = Map.groupBy(nodes, ({ parentId }) => parentId);
    return (parent) => {
      const rows = below.get(parent) ?? [];
      const isWhole = !hasMore || rows.length > limit || parent < cutAt;
      return isWhole ? { nodes: rows.slice(0, limit), hasMore: rows.length > limit } : undefined;
    };
  }
}

const BY_PARENT: Order = { stored: 'parent_id', descending: false };

/** Whether a query selects everything below one document of a workspace, in the order of the index for it. */
export const isNewestBelowOne = (query: Query): boolean =>
  query.scope.parent_id !== undefined && query.scope.workspace !== undefined && isNewest(query) && !query.after;

/** The most rows that can be skipped in an instant. */
const FEW_PASSED = 1_000;

/** Whether the rows of a query may take long to find, because no index has them contiguously. */
export const mayTakeLong = (query: Query, offset: number): boolean => offset > FEW_PASSED || !isNewest(query);

/** Whether a query selects its whole scope, newest first: the order of an index whose keys never change. */
export function isNewest({ conditions, order, containing }: Query): boolean {
  const [at, id, ...further] = order;
  const isNewestFirst = at?.stored === 'created_at' && at.descending && id?.stored === '_id' && !id.descending;
  return isNewestFirst && further.length === 0 && conditions.length === 0 && !containing;
}
