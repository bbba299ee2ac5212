import type { MongoClient } from 'mongodb';

const NAME = 'minSnapshotHistoryWindowInSeconds';

/** Runs the work while MongoDB retains snapshots for that many seconds, then restores the previous setting. */
export async function withHistory<T>(client: MongoClient, seconds: number, work: () => Promise<T>): Promise<T> {
  const admin = client.db('admin');
  const { [NAME]: before } = await admin.command({ getParameter: 1, [NAME]: 1 });
  await admin.command({ setParameter: 1, [NAME]: Math.max(seconds, Number(before)) });
  try {
    return await work();
  } finally {
    await admin.command({ setParameter: 1, [NAME]: before }).catch(() => undefined); // the setting ends with that mongod
  }
}
