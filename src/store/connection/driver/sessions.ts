import type { AbstractCursor, ClientSession, MongoClient } from 'mongodb';
import { ShortLivedSet } from '../short-lived-set.ts';

/** What a client of MongoDB's driver (7.9.0) tracks in order to end it on close. */
interface InUse {
  activeSessions: ShortLivedSet<ClientSession>;
  activeCursors: ShortLivedSet<AbstractCursor>;
}

/**
 * Makes sessions collectable as soon as they end. Each driver command has one, and the driver keeps them in a Set: a retained
 * session retains the command and whoever awaited it.
 */
export function letSessionsPass(client: MongoClient): void {
  const { s: inUse } = client as unknown as { readonly s: InUse };
  inUse.activeSessions = new ShortLivedSet();
  inUse.activeCursors = new ShortLivedSet();
}
