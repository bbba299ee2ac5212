import type { Db } from 'mongodb';
import { HeldLease } from '../store/leases/held-lease.ts';
import { Lease } from '../store/leases/lease.ts';
import { BackupError } from './archive.ts';

const NAME = 'minSnapshotHistoryWindowInSeconds';

/** For how long MongoDB retains snapshots, in seconds. */
export interface HistoryWindow {
  readonly during: number;
  /** Not what it was before: that may be what a backup that was killed has left. */
  readonly afterwards: number;
}

/** Runs the backup of a database while MongoDB retains snapshots for longer; one at a time, because the end of one would end that for all. */
export async function withHistory<T>(db: Db, window: HistoryWindow, work: () => Promise<T>): Promise<T> {
  const lease = new Lease(db, BACKUP_LEASE);
  const anotherRuns = () => new BackupError(refusal(db.databaseName));
  if (!(await lease.take())) throw anotherRuns();
  const held = new HeldLease(lease, anotherRuns);
  const set = (seconds: number) => db.client.db('admin').command({ setParameter: 1, [NAME]: seconds });
  try {
    await set(window.during);
    return await work();
  } finally {
    await lease
      .take()
      .then((isOwn) => isOwn && set(window.afterwards))
      .catch(() => undefined); // the setting ends with that mongod
    await held.end();
  }
}

/** The lease of the one backup that runs. */
export const BACKUP_LEASE = 'backup';

const refusal = (database: string): string =>
  `Another backup of the database "${database}" runs, so no backup was written. Take it when that has ended; ten seconds after one that was killed.`;
