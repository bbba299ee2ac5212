import {
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  MongoServerError,
  type WriteConcern,
} from 'mongodb';
import { sizeAtMost } from './size-at-most.ts';

/** An update in the form of MongoDB's command. */
export interface UpdateStatement {
  readonly q: Document;
  readonly u: Document;
  readonly upsert?: boolean;
}

/** A removal in the form of MongoDB's command. */
interface DeleteStatement {
  readonly q: Document;
  readonly limit: 0 | 1;
}

/** The writes to one collection. */
export interface Writes {
  readonly insert?: readonly Document[];
  readonly update?: readonly UpdateStatement[];
  readonly delete?: readonly DeleteStatement[];
}

const MEMBERS = { insert: 'documents', update: 'updates', delete: 'deletes' } as const;
/** Fewer than MongoDB accepts in one command. */
const AT_ONCE = 2_000;
/** Fewer bytes than MongoDB accepts in one command, itself a document: 16 MiB, and a little more for what surrounds the documents. */
const BYTES_AT_ONCE = 15_000_000;

/** Splits documents or statements into parts that fit into one command each. */
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

/** The transaction of an insert, or its write concern and time limit. */
interface InsertOptions {
  readonly session?: ClientSession;
  readonly writeConcern?: Pick<WriteConcern, 'w'>;
  readonly maxTimeMS?: number;
}

/**
 * Inserts many documents in order, stopping at the first one MongoDB refuses: the error thrown has its `index`. Outside a
 * transaction, the driver does not retry it when a connection breaks.
 */
export async function insertInOrder<T extends Document>(
  { db, collectionName }: Pick<Collection<T>, 'db' | 'collectionName'>,
  documents: readonly T[],
  { session, ...bounds }: InsertOptions,
): Promise<void> {
  const command = { insert: collectionName, ordered: true, ...bounds };
  await runInParts(db, { command, member: 'documents', all: documents, ...(session && { session }) });
}

/**
 * Writes many documents in a session's transaction, in any order; throws MongoDB's error for the first refused one. The driver's
 * bulk writes measure every document before encoding it, which takes as long as encoding.
 */
export async function writeMany(db: Db, collection: string, writes: Writes, session: ClientSession): Promise<void> {
  for (const [name, member] of Object.entries(MEMBERS) as [keyof typeof MEMBERS, string][]) {
    const command = { [name]: collection, ordered: false };
    await runInParts(db, { command, member, all: writes[name] ?? [], session });
  }
}

interface PartedCommand {
  readonly command: Document;
  /** The command member that holds the part. */
  readonly member: string;
  readonly all: readonly object[];
  readonly session?: ClientSession;
}

/** Runs a command per part; throws MongoDB's error for the first refused document or statement. */
async function runInParts(db: Db, { command, member, all, session }: PartedCommand): Promise<void> {
  const options = { ...(session && { session }), ignoreUndefined: true };
  for (const { at, some } of parts(all)) {
    const { writeErrors, writeConcernError } = await db.command({ ...command, [member]: some }, options);
    const [refused] = (writeErrors ?? []) as { readonly errmsg: string; readonly index: number }[];
    if (refused) throw new MongoServerError({ ...refused, message: refused.errmsg, index: at + refused.index });
    const unsure = writeConcernError as { readonly errmsg: string } | undefined;
    if (unsure) throw new MongoServerError({ ...unsure, message: unsure.errmsg });
  }
}
