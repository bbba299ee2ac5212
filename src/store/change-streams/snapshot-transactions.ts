import type { ClientSession, Db, Timestamp } from 'mongodb';

const SNAPSHOT = { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } } as const;

/** Runs work in a transaction. */
export type RunTransaction = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

/** Runs the work in a transaction. */
export function inTransaction<T>(db: Db, work: (session: ClientSession) => Promise<T>): Promise<T> {
  return db.client.withSession((session) => session.withTransaction(work, SNAPSHOT));
}

/** The same in an existing session; it sees at least everything up to a given MongoDB time. */
export function inTransactionOf<T>(
  session: ClientSession,
  after: Timestamp | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (after) session.advanceOperationTime(after);
  return session.withTransaction(work, SNAPSHOT);
}
