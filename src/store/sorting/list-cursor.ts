import type { AbstractCursor, Collection, Document } from 'mongodb';
import { filterOf, type Query, sortOf, type TimeLimit } from '../entities/query.ts';
import { computedStages, isByComputed } from './computed-order.ts';

/** Which rows of a list to read, and how many at a time. */
interface Rows extends TimeLimit {
  readonly skip: number;
  readonly limit?: number;
  readonly batchSize: number;
  readonly hint?: string;
}

/** The raw rows of a list, in its order. */
export function listCursor(
  collection: Collection<Document>,
  query: Query,
  { skip, limit, ...options }: Rows,
): AbstractCursor {
  const reading = { raw: true, allowDiskUse: true, ...options } as const;
  if (isByComputed(query)) {
    return collection.aggregate(computedStages(query, { collection: collection.collectionName, skip, limit }), reading);
  }
  const window = { skip, ...(limit !== undefined && { limit }), sort: sortOf(query.order) };
  return collection.find(filterOf(query), { ...reading, ...window });
}
