import type { AbstractCursor, ClientSession, MongoClient } from 'mongodb';
import { Passing } from '../passing.ts';

/** What a client of MongoDB's driver (7.9.0) remembers to end when it is closed. */
interface InUse {
  activeSessions: Passing<ClientSession>;
  activeCursors: Passing<AbstractCursor>;
}

/**
 * Lets sessions go as soon as they have ended. Each command of the driver has one, and the driver has them in a Set: with a session
 * stay the command and whoever waited for it.
 */
export function letSessionsPass(client: MongoClient): void {
  const { s: inUse } = client as unknown as { readonly s: InUse };
  inUse.activeSessions = new Passing();
  inUse.activeCursors = new Passing();
}
