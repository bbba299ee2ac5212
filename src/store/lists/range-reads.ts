import type { Collection, Document, Filter, ReadConcernLike } from 'mongodb';
import { valueAt } from '../../model/json.ts';
import { timeLeft } from '../connection/long-reads.ts';
import { type AtThatTime, allAtSomeTime, type StepsAtOneTime } from '../connection/snapshot-reads.ts';
import {
  type Comparable,
  filterOf,
  isComputed,
  type Order,
  placeFilterOf,
  type Query,
  sortOf,
  type TimeLimit,
} from '../entities/query.ts';
import { findRows, type Rows } from '../entities/row-reader.ts';
import { indexOf, mayHaveOrder } from '../indexes/indexes.ts';
import { asIndexed, type RangeReads, type RowsAsked } from './tied-order.ts';

/** The time limit of reads, and the steps that one of them belongs to. */
interface RangesWindow extends TimeLimit {
  readonly steps?: StepsAtOneTime | undefined;
}

/** Assembles rows of a collection from several reads, which see the same point in time, that of their steps, and share the time limit. */
export function readRanges<T>(
  collection: Collection<Document>,
  { steps, ...time }: RangesWindow,
  read: (reads: RangeReads) => Promise<T>,
): Promise<T> {
  const left = timeLeft(time);
  const readAt = (atThatTime: () => AtThatTime) =>
    read(new ReadsOfRanges(collection, () => ({ ...atThatTime(), ...left() })));
  return steps ? steps.run(readAt) : allAtSomeTime(collection.db, readAt);
}

class ReadsOfRanges implements RangeReads {
  readonly #collection: Collection<Document>;
  readonly #options: () => AtThatTime & TimeLimit;

  constructor(collection: Collection<Document>, options: () => AtThatTime & TimeLimit) {
    this.#collection = collection;
    this.#options = options;
  }

  rows(query: Query, ranges: readonly Filter<Document>[], { limit, ...asked }: RowsAsked): Promise<Rows> {
    const filter = { $and: [filterOf(query), ...ranges] };
    const window = { ...asked, limit: limit + 1, batchSize: limit + 2 };
    const hint = asked.skip ? hintOf(this.#collection, query) : {};
    const find = { filter, ...window, ...hint, allowDiskUse: true, ...this.#options() };
    return findRows(this.#collection, find, limit);
  }

  placeAt(query: Query, offset: number): Promise<readonly Comparable[] | undefined> {
    const order = hintOf(this.#collection, query).hint ? query.order : query.order.slice(0, 1);
    return placeAt(this.#collection, { ...query, order }, { offset, ...this.#options() });
  }

  countIn(query: Query, ranges: readonly Filter<Document>[]): Promise<number> {
    const filter = { $and: [placeFilterOf(query), ...ranges] };
    return this.#collection.countDocuments(filter, { ...this.#options(), ...hintOf(this.#collection, query) });
  }
}

/** The sort values of the row at an offset of a query; read from the index alone if one covers the query. */
export async function placeAt(
  collection: Collection<Document>,
  query: Query,
  { offset, ...reading }: TimeLimit & { readonly offset: number; readonly readConcern: ReadConcernLike },
): Promise<readonly Comparable[] | undefined> {
  const named = Object.fromEntries(query.order.map(({ stored }) => [stored, 1]));
  const options = { allowDiskUse: true, ...readHintOf(collection, query), ...reading, skip: offset, limit: 1 };
  const asked = { ...options, sort: sortOf(query.order), projection: { _id: 0, ...named } };
  const [row] = await collection.find(placeFilterOf(query), asked).toArray();
  return row && placeIn(query, (path) => valueAt(row, path.split('.')));
}

/** The index that has the rows of a query in its order, if any; of several workspaces, each has its own range, and MongoDB merges them. */
export const hintOf = (collection: Collection<Document>, query: Query): Hint =>
  indexHint(collection, query, sortOf(query.order) as IndexOrder);

/** Whether no index has the order, so that MongoDB reads all rows of a query before it has the first. */
export const isUnindexed = ({ collectionName }: Collection<Document>, { order, scope }: Query): boolean => {
  const fields = order.map(({ stored }) => stored);
  return !order.some(isComputed) && !mayHaveOrder(collectionName, scope, fields);
};

/**
 * The index for reading a whole scope to sort it. Without a hint, MongoDB would first run all candidate plans side by side, nearly
 * to their ends, since none has a row before it has sorted: a dozen times the work. With filters, MongoDB knows better.
 */
export const scanHintOf = (collection: Collection<Document>, query: Query): Hint =>
  isUnindexed(collection, query) ? indexHint(collection, query, {}) : {};

/** The index for reading rows at a distance, or for sorting all of them. */
export const readHintOf = (collection: Collection<Document>, query: Query): Hint =>
  isUnindexed(collection, query) ? indexHint(collection, query, {}) : hintOf(collection, query);

interface Hint {
  readonly hint?: string;
}

type IndexOrder = Readonly<Record<string, 1 | -1>>;

/** The index that has what a query has equal, and then that order. */
function indexHint(
  { collectionName }: Collection<Document>,
  { after: _after, ...query }: Query,
  order: IndexOrder,
): Hint {
  const equal = inWorkspaces(query) ?? placeFilterOf(query);
  const isAny = Object.keys(equal).length + Object.keys(order).length === 0; // every index would do
  const hint = isAny ? undefined : indexOf(collectionName, equal, order);
  return hint === undefined ? {} : { hint };
}

/** What an index has equal in each of several workspaces that a query names; undefined for other queries. The readers are checked in the rows. */
function inWorkspaces({ scope, conditions, containing }: Query): Readonly<Record<string, unknown>> | undefined {
  const [only, ...others] = conditions;
  if (!only || others.length > 0 || containing) return undefined;
  if (!('anyOf' in only) || only.stored !== 'workspace') return undefined;
  const { readers: _readers, ...equal } = scope;
  return { ...equal, workspace: only.anyOf };
}

/** The sort values of a row. */
export const placeIn = ({ order }: Query, valueAtPath: (path: string) => unknown): readonly Comparable[] =>
  order.map(({ stored }) => (valueAtPath(stored) ?? null) as Comparable);

/** Whether an index finds exactly the rows of a query whose order is opposite to it. */
export const isByIndex = (collection: Collection<Document>, { order, ...query }: Query): boolean =>
  hintOf(collection, { ...query, order: asIndexed(order as readonly [Order, Order]) }).hint !== undefined;
