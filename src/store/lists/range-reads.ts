import type { Collection, Document, Filter, ReadConcernLike } from 'mongodb';
import { valueAt } from '../../model/json.ts';
import { timeLeft } from '../connection/long-reads.ts';
import { type AtThatTime, allAtSomeTime, type StepsAtOneTime } from '../connection/snapshot-reads.ts';
import {
  type Comparable,
  comparedBy,
  filterOf,
  isComputed,
  type Order,
  onlyValueOf,
  placeFilterOf,
  type Query,
  sortOf,
  type TimeLimit,
} from '../entities/query.ts';
import { findRows, type Rows } from '../entities/row-reader.ts';
import { indexOf, isIndexed, mayHaveOrder } from '../indexes/indexes.ts';
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
    const hint = (asked.skip ? readHintOf : scanHintOf)(this.#collection, query);
    const find = { filter, ...window, ...hint, allowDiskUse: true, ...this.#options() };
    return findRows(this.#collection, find, limit);
  }

  placeAt(query: Query, offset: number): Promise<readonly Comparable[] | undefined> {
    const order = hintOf(this.#collection, query).hint ? query.order : query.order.slice(0, 1);
    return placeAt(this.#collection, { ...query, order }, { offset, ...this.#options() });
  }

  countIn(query: Query, ranges: readonly Filter<Document>[]): Promise<number> {
    const filter = { $and: [placeFilterOf(query), ...ranges] };
    return this.#collection.countDocuments(filter, { ...this.#options(), ...readHintOf(this.#collection, query) });
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
 * The index for reading a whole scope, to sort it or for filters that no index has. Without a hint, MongoDB would first run all candidate
 * plans side by side, nearly to their ends, since none has a row before it has sorted, or found what is rare: a dozen times the work. With
 * filters that an index has, MongoDB knows better.
 */
export const scanHintOf = (collection: Collection<Document>, query: Query): Hint => {
  const isOrdered = !isUnindexed(collection, query);
  const sought = withIndexed(collection, query);
  return isOrdered && sought === query ? {} : scanHint(collection, sought, isOrdered);
};

/** The index for reading rows at a distance, or all of them. */
export const readHintOf = (collection: Collection<Document>, query: Query): Hint => {
  const isOrdered = !isUnindexed(collection, query);
  const sought = withIndexed(collection, query);
  return isOrdered && sought === query ? hintOf(collection, query) : scanHint(collection, sought, isOrdered);
};

/** Where an index may have the order, only one that has it is named: a page of what is frequent is then found without reading the rest. */
const scanHint = (collection: Collection<Document>, query: Query, isOrdered: boolean): Hint =>
  isOrdered && !query.order.some(isComputed) ? hintOf(collection, query) : indexHint(collection, query, {});

/** A query without the conditions that no index helps to find. */
function withIndexed({ collectionName }: Collection<Document>, query: Query): Query {
  const conditions = query.conditions.filter((one) => isIndexed(collectionName, comparedBy(one)));
  return conditions.length < query.conditions.length ? { ...query, conditions } : query;
}

interface Hint {
  readonly hint?: string;
}

type IndexOrder = Readonly<Record<string, 1 | -1>>;

/** The index that has what a query has equal, and then that order. */
function indexHint({ collectionName }: Collection<Document>, query: Query, order: IndexOrder): Hint {
  const equal = equalIn(query);
  const isAny = equal && Object.keys(equal).length + Object.keys(order).length === 0; // every index would do
  const hint = equal && !isAny ? indexOf(collectionName, equal, order) : undefined;
  return hint === undefined ? {} : { hint };
}

/**
 * What all rows of a query have equal; undefined if it has other conditions. Of several workspaces, an index has it equal in each, and the
 * readers are checked in the rows.
 */
function equalIn({ scope, indexed = scope, conditions, containing }: Query): Record<string, unknown> | undefined {
  if (containing) return undefined;
  const equal: Record<string, unknown> = { ...indexed };
  for (const condition of conditions) {
    const workspaces = 'anyOf' in condition && condition.stored === 'workspace' ? condition.anyOf : undefined;
    const only = workspaces ? { stored: 'workspace', value: workspaces } : onlyValueOf(condition);
    if (!only || only.stored in equal) return undefined;
    equal[only.stored] = only.value;
    if (workspaces) delete equal.readers;
  }
  return equal;
}

/** The sort values of a row. */
export const placeIn = ({ order }: Query, valueAtPath: (path: string) => unknown): readonly Comparable[] =>
  order.map(({ stored }) => (valueAtPath(stored) ?? null) as Comparable);

/** Whether an index finds exactly the rows of a query whose order is opposite to it. */
export const isByIndex = (collection: Collection<Document>, { order, ...query }: Query): boolean =>
  hintOf(collection, { ...query, order: asIndexed(order as readonly [Order, Order]) }).hint !== undefined;
