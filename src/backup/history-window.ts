import type { MongoClient } from 'mongodb';

const NAME = 'minSnapshotHistoryWindowInSeconds';

/** Does the work while MongoDB keeps what was there for so many seconds; afterwards it keeps it as long as before. */
export async function withHistory<T>(client: MongoClient, seconds: number, work: () => Promise<T>): Promise<T> {
  const admin = client.db('admin');
  const { [NAME]: before } = await admin.command({ getParameter: 1, [NAME]: 1 });
  await admin.command({ setParameter: 1, [NAME]: Math.max(seconds, Number(before)) });
  try {
    return await work();
  } finally {
    await admin.command({ setParameter: 1, [NAME]: before }).catch(() => undefined); // it ends with that mongod
  }
}
