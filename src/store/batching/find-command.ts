import {
  type ClientSession,
  type Collection,
  type Document,
  type Filter,
  type Long,
  MongoNetworkError,
  MongoServerError,
  type ReadConcernLike,
  type Sort,
} from 'mongodb';
import { ranOut } from '../connection/bounded-writes.ts';
import { type Transaction, within } from '../transactions/transaction.ts';

/** A find in the form of MongoDB's command. */
export interface FindCommand<S extends Document> {
  readonly filter: Filter<S>;
  readonly projection?: Document;
  readonly sort?: Sort;
  readonly skip?: number;
  readonly limit?: number;
  /** More rows than there usually are, so that no cursor stays open. */
  readonly batchSize: number;
  readonly hint?: string;
  readonly allowDiskUse?: boolean;
  readonly maxTimeMS?: number;
  /** Overrides that of the collection. */
  readonly readConcern?: ReadConcernLike;
  readonly session?: ClientSession;
}

interface Reply {
  readonly cursor: { readonly id: Long; readonly firstBatch: Uint8Array[] };
}

/**
 * Options of an aggregation whose rows stay BSON. The second is not public: the driver (7.9.0) sets it itself for a find but not
 * for an aggregation, whose errors it then leaves as BSON too. So it cannot read the topology version of a server that is no
 * longer primary, and fails with a TypeError at that server's next error.
 */
export const AGGREGATE_ROWS = { raw: true, documentsReturnedIn: 'firstBatch' } as const;

const RAW_ROWS = { fieldsAsRaw: { firstBatch: true }, promoteLongs: false, ignoreUndefined: true };

/** The rows of a find in one reply from MongoDB. */
export interface FirstReply {
  readonly rows: Uint8Array[];
  /** Whether those are all; if not, there is at least one more. */
  readonly isWhole: boolean;
}

/**
 * The first raw rows of a find by one command, without a driver cursor, which costs half as much as the rest of the command.
 * Undefined if a cursor has to read them: after an error that may be transient, since the driver retries a find but not a command.
 */
export async function firstReply<S extends Document>(
  { db, collectionName, readConcern, readPreference }: Collection<S>,
  { session, ...find }: FindCommand<S>,
): Promise<FirstReply | undefined> {
  const command = { find: collectionName, ...(readConcern && { readConcern }), ...find };
  const options = { ...RAW_ROWS, ...(readPreference && { readPreference }), ...(session && { session }) };
  let reply: Reply;
  try {
    reply = (await db.command(command, options)) as Reply;
  } catch (error) {
    if (mayNotComeAgain(error)) return undefined;
    throw error;
  }
  const { id, firstBatch: rows } = reply.cursor;
  const isWhole = id.isZero();
  if (!isWhole) void killCursor({ db, collectionName }, id);
  return { rows, isWhole };
}

/** Ends a cursor in MongoDB, in no session: in one that reads at one point in time, the driver's own command is refused. */
export const killCursor = (
  { db, collectionName }: Pick<Collection<Document>, 'db' | 'collectionName'>,
  id: Long,
): Promise<unknown> => db.command({ killCursors: collectionName, cursors: [id] }).catch(() => undefined);

/** All raw rows of a find by one command; undefined if a cursor has to read them. */
export async function rowsOfOneReply<S extends Document>(
  collection: Collection<S>,
  find: FindCommand<S>,
): Promise<Uint8Array[] | undefined> {
  const reply = await firstReply(collection, find);
  return reply?.isWhole ? reply.rows : undefined;
}

/** All raw rows of a find; in a transaction, a cursor reads them, and errors retry the whole transaction. */
export async function allRows<S extends Document>(
  collection: Collection<S>,
  find: FindCommand<S>,
  tx?: Transaction,
): Promise<Uint8Array[]> {
  const rows = tx ? undefined : await rowsOfOneReply(collection, find);
  return rows ?? ((await cursorOf(collection, find, tx).toArray()) as unknown as Uint8Array[]);
}

/** The raw rows of a find, reply by reply. */
export const cursorOf = <S extends Document>(
  collection: Collection<S>,
  { filter, ...options }: FindCommand<S>,
  tx?: Transaction,
) => collection.find(filter, { ...options, raw: true, ...within(tx) });

const mayNotComeAgain = (error: unknown): boolean =>
  error instanceof MongoNetworkError || (error instanceof MongoServerError && !ranOut(error));
