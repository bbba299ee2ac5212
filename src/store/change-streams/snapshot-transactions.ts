import type { ClientSession, Db, Timestamp } from 'mongodb';

const SNAPSHOT = { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } } as const;

/** Runs work in a transaction. */
export type RunTransaction = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

/** Runs the work in a transaction. */
export function inTransaction<T>(db: Db, work: (session: ClientSession) => Promise<T>): Promise<T> {
  return db.client.withSession((session) => session.withTransaction(work, SNAPSHOT));
}

/** The same in a session that exists already; it sees at least what had happened by a time of MongoDB. */
export function inTransactionOf<T>(
  session: ClientSession,
  after: Timestamp | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (after) session.advanceOperationTime(after);
  return session.withTransaction(work, SNAPSHOT);
}
