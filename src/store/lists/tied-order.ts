import type { Document, Filter, Sort } from 'mongodb';
import {
  beyond,
  type Comparable,
  isComputed,
  type Order,
  type Query,
  sortOf,
  type TimeLimit,
} from '../entities/query.ts';
import type { RawEntity } from '../entities/read-entity.ts';
import type { Rows } from '../entities/row-reader.ts';

/** Times whose indexes run from the newest on, with the ids of one instant ascending. */
const NEWEST_FIRST: ReadonlySet<string> = new Set(['created_at', 'modified_at', 'deleted_at']);

/**
 * Whether an index by the first field gives the rows of the same value in the opposite order. Lists end with the id ascending
 * whatever their direction, and an index can be read from either end, but not from both at once.
 */
export function isAgainstIndex({ order, after }: Query, offset: number): boolean {
  const [first, id] = order;
  if (!first || isComputed(first) || order.length !== 2 || id?.stored !== '_id' || (after && offset > 0)) return false;
  return (first.descending === id.descending) === NEWEST_FIRST.has(first.stored);
}

/** Where a read of rows begins, how many it has at most, and in which order. */
export interface RowsAsked extends TimeLimit {
  readonly sort: Sort;
  readonly skip?: number;
  readonly limit: number;
}

/** The reads that a page is put together from. */
export interface RangeReads {
  /** The rows of a query that are in some ranges. */
  rows(query: Query, ranges: readonly Filter<Document>[], asked: RowsAsked): Promise<Rows>;
  placeAt(query: Query, window: TimeLimit & { readonly offset: number }): Promise<readonly Comparable[] | undefined>;
  /** How many rows of a query are in a range of its order. */
  countIn(query: Query, range: Filter<Document>, time: TimeLimit): Promise<number>;
}

interface Asked {
  readonly offset: number;
  readonly limit: number;
}

interface Means {
  readonly reads: RangeReads;
  readonly time: TimeLimit;
}

/** Where rows begin: at one of those with that value, past some of them, or after one of them. */
interface Start {
  readonly value: Comparable;
  readonly skip: number;
  readonly after?: Comparable;
}

/**
 * One page of such a list without a sort of all of it: the rest of the value that it begins in, then rows as the index has them, and those of
 * its last value once more from their beginning. Each of these is a range of the index.
 */
export async function readTied(query: Query, { offset, limit }: Asked, means: Means): Promise<Rows> {
  const [first, id] = query.order as readonly [Order, Order];
  const { after, ...whole } = query;
  const start = after
    ? { value: after[0] ?? null, after: after[1] ?? null, skip: 0 }
    : await startAt(whole, offset, means);
  if (!start && offset > 0) return { nodes: [], hasMore: false };
  const same = (value: Comparable): Filter<Document> => ({ [first.stored]: { $eq: value } });
  const rows = (
    range: Filter<Document>[],
    order: readonly Order[],
    window: { readonly skip?: number; readonly limit: number },
  ) => means.reads.rows(whole, range, { sort: sortOf(order), ...window, ...means.time });
  const nodes: RawEntity[] = [];
  if (start) {
    const further = start.after === undefined ? [] : [beyond(id, start.after)].filter((one) => one !== undefined);
    const begun = await rows([same(start.value), ...further], [id], { skip: start.skip, limit });
    nodes.push(...begun.nodes);
    if (begun.hasMore) return { nodes, hasMore: true };
  }
  const next = start ? beyond(first, start.value) : {};
  if (!next) return { nodes, hasMore: false };
  const left = limit - nodes.length;
  const found = await rows([next], [first, { ...id, descending: !id.descending }], { limit: left });
  const groups = groupsOf(found.nodes, first);
  const last = found.hasMore ? groups.pop() : undefined;
  for (const group of groups) nodes.push(...group.reverse());
  if (!last) return { nodes, hasMore: found.hasMore };
  const ended = await rows([same(valueIn(last[0], first))], [id], { limit: last.length });
  return { nodes: [...nodes, ...ended.nodes], hasMore: true };
}

/** The row at an offset, found by keys alone where an index has all that the query names. */
async function startAt(query: Query, offset: number, { reads, time }: Means): Promise<Start | undefined> {
  if (offset === 0) return undefined;
  const [first] = query.order as readonly [Order];
  const byFirst = { ...query, order: [first] };
  const [value] = (await reads.placeAt(byFirst, { offset, ...time })) ?? [];
  if (value === undefined) return undefined;
  const before = beyond({ ...first, descending: !first.descending }, value);
  const skipped = before ? await reads.countIn(byFirst, before, time) : 0;
  return { value, skip: offset - skipped };
}

/** Rows one after the other that have the same value. */
function groupsOf(nodes: readonly RawEntity[], order: Order): RawEntity[][] {
  const groups: RawEntity[][] = [];
  for (const node of nodes) {
    const group = groups.at(-1);
    if (group && isSame(valueIn(group[0], order), valueIn(node, order))) group.push(node);
    else groups.push([node]);
  }
  return groups;
}

const valueIn = (node: RawEntity | undefined, { stored }: Order): Comparable =>
  (node?.stored(stored) ?? null) as Comparable;

const isSame = (one: Comparable, other: Comparable): boolean =>
  one instanceof Date && other instanceof Date ? one.getTime() === other.getTime() : one === other;
