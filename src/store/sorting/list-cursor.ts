import type { AbstractCursor, Collection, Document, ReadConcernLike } from 'mongodb';
import { AGGREGATE_ROWS } from '../batching/find-command.ts';
import { filterOf, type Query, sortOf, type TimeLimit } from '../entities/query.ts';
import { findRows, type Rows, readRows } from '../entities/row-reader.ts';
import { computedStages, isByComputed } from './computed-order.ts';

/** Where in a list to read. */
interface Place extends TimeLimit {
  readonly skip: number;
  readonly hint?: string;
  readonly readConcern?: ReadConcernLike;
}

/** The first rows of a list, in order, and whether there are more. */
export function listRows(
  collection: Collection<Document>,
  query: Query,
  { limit, ...place }: Place & { readonly limit: number },
): Promise<Rows> {
  const asked = { ...place, limit: limit + 1, batchSize: limit + 2 };
  if (isByComputed(query)) return readRows(listCursor(collection, query, asked), limit);
  const find = { filter: filterOf(query), sort: sortOf(query.order), allowDiskUse: true, ...asked };
  return findRows(collection, find, limit);
}

/** The raw rows of a list, in order. */
export function listCursor(
  collection: Collection<Document>,
  query: Query,
  { skip, limit, ...options }: Place & { readonly limit?: number; readonly batchSize: number },
): AbstractCursor {
  const reading = { ...AGGREGATE_ROWS, allowDiskUse: true, ...options };
  if (isByComputed(query)) {
    return collection.aggregate(computedStages(query, { collection: collection.collectionName, skip, limit }), reading);
  }
  const window = { skip, ...(limit !== undefined && { limit }), sort: sortOf(query.order) };
  return collection.find(filterOf(query), { ...reading, ...window });
}
