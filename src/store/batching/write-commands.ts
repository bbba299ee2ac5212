import {
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  MongoServerError,
  type WriteConcern,
} from 'mongodb';
import { sizeAtMost } from './size-at-most.ts';

/** An update as MongoDB's command has it. */
export interface UpdateStatement {
  readonly q: Document;
  readonly u: Document;
  readonly upsert?: boolean;
}

/** A removal as MongoDB's command has it. */
export interface DeleteStatement {
  readonly q: Document;
  readonly limit: 0 | 1;
}

/** What is to be written to one collection. */
export interface Writes {
  readonly insert?: readonly Document[];
  readonly update?: readonly UpdateStatement[];
  readonly delete?: readonly DeleteStatement[];
}

const MEMBERS = { insert: 'documents', update: 'updates', delete: 'deletes' } as const;
/** Fewer than MongoDB takes in one command. */
const AT_ONCE = 2_000;
/** Fewer bytes than MongoDB takes in one command, which is a document itself: 16 MiB, and a little more for what is beside the documents. */
const BYTES_AT_ONCE = 15_000_000;

/** Documents or statements, in parts that fit into one command each. */
function* parts<T extends object>(all: readonly T[]): Generator<{ readonly at: number; readonly some: readonly T[] }> {
  let at = 0;
  let bytes = 0;
  for (const [index, each] of all.entries()) {
    const size = sizeAtMost(each);
    if (index > at && (index - at === AT_ONCE || bytes + size > BYTES_AT_ONCE)) {
      yield { at, some: all.slice(at, index) };
      at = index;
      bytes = 0;
    }
    bytes += size;
  }
  if (at < all.length) yield { at, some: all.slice(at) };
}

/** The transaction that an insert belongs to, or who is to acknowledge it within which time. */
export interface InsertOptions {
  readonly session?: ClientSession;
  readonly writeConcern?: Pick<WriteConcern, 'w'>;
  readonly maxTimeMS?: number;
}

/**
 * Inserts many documents one after the other. Those after the first that MongoDB refuses are not written: the error that is
 * thrown has its `index`. Outside of a transaction, it is not repeated by the driver when a connection breaks.
 */
export async function insertInOrder<T extends Document>(
  { db, collectionName }: Pick<Collection<T>, 'db' | 'collectionName'>,
  documents: readonly T[],
  { session, ...bounds }: InsertOptions,
): Promise<void> {
  const command = { insert: collectionName, ordered: true, ...bounds };
  await inParts(db, { command, member: 'documents', all: documents, ...(session && { session }) });
}

/**
 * Writes many documents in the transaction of a session, in any order; throws what MongoDB says of the first that it refused.
 * The driver's bulk writes measure every document before they encode it, which takes as long as encoding.
 */
export async function writeMany(db: Db, collection: string, writes: Writes, session: ClientSession): Promise<void> {
  for (const [name, member] of Object.entries(MEMBERS) as [keyof typeof MEMBERS, string][]) {
    const command = { [name]: collection, ordered: false };
    await inParts(db, { command, member, all: writes[name] ?? [], session });
  }
}

interface PartedCommand {
  readonly command: Document;
  /** The member of the command that a part of all is in. */
  readonly member: string;
  readonly all: readonly object[];
  readonly session?: ClientSession;
}

/** Runs a command for each part; throws what MongoDB says of the first document or statement that it refused. */
async function inParts(db: Db, { command, member, all, session }: PartedCommand): Promise<void> {
  const options = { ...(session && { session }), ignoreUndefined: true };
  for (const { at, some } of parts(all)) {
    const { writeErrors, writeConcernError } = await db.command({ ...command, [member]: some }, options);
    const [refused] = (writeErrors ?? []) as { readonly errmsg: string; readonly index: number }[];
    if (refused) throw new MongoServerError({ ...refused, message: refused.errmsg, index: at + refused.index });
    const unsure = writeConcernError as { readonly errmsg: string } | undefined;
    if (unsure) throw new MongoServerError({ ...unsure, message: unsure.errmsg });
  }
}
