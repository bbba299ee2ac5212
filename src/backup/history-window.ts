import type { Db } from 'mongodb';
import { HeldLease } from '../store/leases/held-lease.ts';
import { Lease } from '../store/leases/lease.ts';
import { BackupError } from './archive.ts';

const NAME = 'minSnapshotHistoryWindowInSeconds';

/** How long MongoDB retains snapshots, in seconds. */
interface HistoryWindow {
  readonly during: number;
  /** Not the previous value: a killed backup may have left that behind. */
  readonly afterwards: number;
}

/** Runs a backup while MongoDB retains snapshots for longer. One at a time: the first to end would reset the window for all. */
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
      .catch(() => undefined); // the setting does not outlive that mongod
    await held.end();
  }
}

/** The lease of the running backup; there is only one. */
export const BACKUP_LEASE = 'backup';

const refusal = (database: string): string =>
  `Another backup of the database "${database}" runs, so no backup was written. Take it when that has ended; ten seconds after one that was killed.`;
