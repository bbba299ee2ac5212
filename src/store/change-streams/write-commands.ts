import { type ClientSession, type Db, type Document, MongoServerError } from 'mongodb';

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
/** Fewer than MongoDB takes in one command, and than fit into a message. */
const AT_ONCE = 2_000;

/**
 * Writes many documents in the transaction of a session, in any order; throws what MongoDB says of the first that it refused.
 * The driver's bulk writes measure every document before they encode it, which takes as long as encoding.
 */
export async function writeMany(db: Db, collection: string, writes: Writes, session: ClientSession): Promise<void> {
  const options = { session, ignoreUndefined: true };
  for (const [command, member] of Object.entries(MEMBERS) as [keyof typeof MEMBERS, string][]) {
    const statements: readonly unknown[] = writes[command] ?? [];
    for (let at = 0; at < statements.length; at += AT_ONCE) {
      const some = statements.slice(at, at + AT_ONCE);
      const { writeErrors } = await db.command({ [command]: collection, [member]: some, ordered: false }, options);
      const [refused] = (writeErrors ?? []) as { readonly code: number; readonly errmsg: string }[];
      if (refused) throw new MongoServerError({ message: refused.errmsg, code: refused.code });
    }
  }
}
