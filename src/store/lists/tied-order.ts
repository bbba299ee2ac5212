import type { Document, Filter, Sort } from 'mongodb';
import { beyond, type Comparable, isComputed, type Order, type Query, sortOf } from '../entities/query.ts';
import type { RawEntity } from '../entities/read-entity.ts';
import type { Rows } from '../entities/row-reader.ts';

/** Times whose indexes run newest first, with ids ascending as the tie-break. */
const NEWEST_FIRST: ReadonlySet<string> = new Set(['created_at', 'modified_at', 'deleted_at']);

/**
 * Whether an index by the first field returns ties in the opposite order. Lists always end with the id ascending, whatever their
 * direction, and an index can be read forwards or backwards, but not both at once.
 */
export function isAgainstIndex({ order, after }: Query, offset: number): boolean {
  const [first, id] = order;
  if (!first || isComputed(first) || order.length !== 2 || id?.stored !== '_id' || (after && offset > 0)) return false;
  return (first.descending === id.descending) === NEWEST_FIRST.has(first.stored);
}

/** Where a read of rows begins, its limit, and its order. */
export interface RowsAsked {
  readonly sort: Sort;
  readonly skip?: number;
  readonly limit: number;
}

/** The reads that a page is assembled from, all at one point in time. */
export interface RangeReads {
  /** The rows in some ranges of a query whose order is that of its index. */
  rows(query: Query, ranges: readonly Filter<Document>[], asked: RowsAsked): Promise<Rows>;
  /** The sort values of the row at an offset of a query: only the first value if no index has them all, so that nothing is sorted. */
  placeAt(query: Query, offset: number): Promise<readonly Comparable[] | undefined>;
  /** The number of rows of a query in some ranges of its order. */
  countIn(query: Query, ranges: readonly Filter<Document>[]): Promise<number>;
}

interface Asked {
  readonly offset: number;
  readonly limit: number;
}

/** Where rows begin: among those with this value, skipping some of them, or after one of them. */
interface Start {
  readonly value: Comparable;
  readonly skip: number;
  readonly after?: Comparable;
}

/**
 * One page of such a list without sorting all of it: the rest of the value it begins in, then rows in index order, then the rows
 * of its last value again from their beginning. Each of these is a range of the index.
 */
export async function readTied(query: Query, { offset, limit }: Asked, reads: RangeReads): Promise<Rows> {
  const [first, id] = query.order as readonly [Order, Order];
  const { after, ...whole } = query;
  const indexed = { ...whole, order: asIndexed([first, id]) };
  const start = after
    ? { value: after[0] ?? null, after: after[1] ?? null, skip: 0 }
    : await startAt(indexed, offset, reads);
  if (!start && offset > 0) return { nodes: [], hasMore: false };
  const rows = (
    range: Filter<Document>[],
    order: readonly Order[],
    window: { readonly skip?: number; readonly limit: number },
  ) => reads.rows(indexed, range, { sort: sortOf(order), ...window });
  const nodes: RawEntity[] = [];
  if (start) {
    const further = start.after === undefined ? [] : past(id, start.after);
    const begun = await rows([having(first, start.value), ...further], [id], { skip: start.skip, limit });
    nodes.push(...begun.nodes);
    if (begun.hasMore) return { nodes, hasMore: true };
  }
  const next = start ? beyond(first, start.value) : {};
  if (!next) return { nodes, hasMore: false };
  const left = limit - nodes.length;
  const found = await rows([next], indexed.order, { limit: left });
  const groups = groupsOf(found.nodes, first);
  const last = found.hasMore ? groups.pop() : undefined;
  for (const group of groups) nodes.push(...group.reverse());
  if (!last) return { nodes, hasMore: found.hasMore };
  const ended = await rows([having(first, valueIn(last[0], first))], [id], { limit: last.length });
  return { nodes: [...nodes, ...ended.nodes], hasMore: true };
}

/**
 * Locates the row at an offset. Only ties are ordered differently from the index, so the row is as far from the first of its
 * ties as the row that the index has at that offset.
 */
async function startAt(indexed: Query, offset: number, reads: RangeReads): Promise<Start | undefined> {
  if (offset === 0) return undefined;
  const [first, id] = indexed.order as readonly [Order, Order];
  const [value, last] = (await reads.placeAt(indexed, offset)) ?? [];
  if (value === undefined) return undefined;
  if (last !== undefined) {
    const passed = [having(first, value), ...past(reversed(id), last)];
    return { value, skip: await reads.countIn(indexed, passed) };
  }
  const before = beyond(reversed(first), value);
  return { value, skip: offset - (before ? await reads.countIn({ ...indexed, order: [first] }, [before]) : 0) };
}

/** The order as its index has it, with ties reversed. */
export const asIndexed = ([first, id]: readonly [Order, Order]): readonly Order[] => [first, reversed(id)];

const reversed = (order: Order): Order => ({ ...order, descending: !order.descending });

const having = ({ stored }: Order, value: Comparable): Filter<Document> => ({ [stored]: { $eq: value } });

function past(order: Order, value: Comparable): readonly Filter<Document>[] {
  const range = beyond(order, value);
  return range ? [range] : [];
}

/** Groups adjacent rows that have the same value. */
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
