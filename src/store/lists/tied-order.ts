import type { Document, Filter, Sort } from 'mongodb';
import { beyond, type Comparable, isComputed, type Order, type Query, sortOf } from '../entities/query.ts';
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
export interface RowsAsked {
  readonly sort: Sort;
  readonly skip?: number;
  readonly limit: number;
}

/** The reads that a page is put together from, all at one point in time. */
export interface RangeReads {
  /** The rows of a query, whose order is that of its index, that are in some ranges. */
  rows(query: Query, ranges: readonly Filter<Document>[], asked: RowsAsked): Promise<Rows>;
  /** What the row at an offset of a query is ordered by: the first value alone where no index has them all, so that nothing is sorted. */
  placeAt(query: Query, offset: number): Promise<readonly Comparable[] | undefined>;
  /** How many rows of a query are in some ranges of its order. */
  countIn(query: Query, ranges: readonly Filter<Document>[]): Promise<number>;
}

interface Asked {
  readonly offset: number;
  readonly limit: number;
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
export async function readTied(query: Query, { offset, limit }: Asked, reads: RangeReads): Promise<Rows> {
  const [first, id] = query.order as readonly [Order, Order];
  const { after, ...whole } = query;
  const indexed = { ...whole, order: asIndexed(first, id) };
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
 * Where the row at an offset is. Only rows of its value have other places than in the index, so that it is as far from the first of
 * them as the row that the index has at that offset.
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

/** Such an order as its index has it: rows of the same value the other way round. */
const asIndexed = (first: Order, id: Order): readonly Order[] => [first, reversed(id)];

const reversed = (order: Order): Order => ({ ...order, descending: !order.descending });

const having = ({ stored }: Order, value: Comparable): Filter<Document> => ({ [stored]: { $eq: value } });

function past(order: Order, value: Comparable): readonly Filter<Document>[] {
  const range = beyond(order, value);
  return range ? [range] : [];
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
