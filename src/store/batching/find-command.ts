import { type Collection, type Document, type Filter, MongoNetworkError, MongoServerError, type Sort } from 'mongodb';
import { int32At } from '../bson/bson-element.ts';
import { findElement, positionOf, startsIn } from '../bson/bson-scan.ts';
import { ranOut } from '../connection/bounded-writes.ts';
import { type Transaction, within } from '../transactions/transaction.ts';

/** A find as MongoDB's command has it. */
export interface FindCommand<S extends Document> {
  readonly filter: Filter<S>;
  readonly projection?: Document;
  readonly sort?: Sort;
  readonly skip?: number;
  readonly limit?: number;
  /** More rows than there are as a rule, so that no cursor stays open. */
  readonly batchSize: number;
  readonly hint?: string;
  readonly allowDiskUse?: boolean;
  readonly maxTimeMS?: number;
}

/** The rows of a reply: where each begins in its bytes. */
export interface RepliedRows {
  readonly bytes: Buffer;
  readonly starts: readonly number[];
}

/** Objects in a reply stay bytes, so that the driver makes nothing of its rows. */
const RAW_REPLY = { raw: true, enableUtf8Validation: false, ignoreUndefined: true };

/**
 * The raw rows of a find by one command, without a cursor of the driver, which costs half as much as all else of the command.
 * Undefined where a cursor has to read them: where they are more than one reply, or after an error that may not come a second
 * time, since the driver repeats a find and no command.
 */
export async function rowsOfOneReply<S extends Document>(
  { db, collectionName, readConcern, readPreference }: Collection<S>,
  find: FindCommand<S>,
): Promise<RepliedRows | undefined> {
  const command = { find: collectionName, ...find, ...(readConcern && { readConcern }) };
  let cursor: Buffer;
  try {
    ({ cursor } = await db.command(command, { ...RAW_REPLY, ...(readPreference && { readPreference }) }));
  } catch (error) {
    if (mayNotComeAgain(error)) return undefined;
    throw error;
  }
  const id = cursor.readBigInt64LE(positionOf(findElement(cursor, 0, 'id')));
  if (id === 0n) return { bytes: cursor, starts: startsIn(cursor, positionOf(findElement(cursor, 0, 'firstBatch'))) };
  await db.command({ killCursors: collectionName, cursors: [id] }).catch(() => undefined);
  return undefined;
}

/** All raw rows of a find; a cursor reads those of a transaction, whose errors are repeated with all of it. */
export async function allRows<S extends Document>(
  collection: Collection<S>,
  find: FindCommand<S>,
  tx?: Transaction,
): Promise<Uint8Array[]> {
  const rows = tx ? undefined : await rowsOfOneReply(collection, find);
  if (rows) return rows.starts.map((start) => rows.bytes.subarray(start, start + int32At(rows.bytes, start)));
  return (await cursorOf(collection, find, tx).toArray()) as unknown as Uint8Array[];
}

/** The raw rows of a find, reply by reply. */
export const cursorOf = <S extends Document>(
  collection: Collection<S>,
  { filter, ...options }: FindCommand<S>,
  tx?: Transaction,
) => collection.find(filter, { ...options, raw: true, ...within(tx) });

const mayNotComeAgain = (error: unknown): boolean =>
  error instanceof MongoNetworkError || (error instanceof MongoServerError && !ranOut(error));
