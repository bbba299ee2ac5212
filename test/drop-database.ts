import { type Db, MongoServerError } from 'mongodb';

const MAX_TIME_MS_EXPIRED = 50;

/**
 * Drops the collections of a test's database, several times as fast as dropping the database. A killed gateway's transactions
 * stay open for a minute and hold their collections; these are not waited for, since the whole MongoDB ends with the run.
 */
export async function dropDatabase(db: Db): Promise<void> {
  const collections = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
  const names = collections.map(({ name }) => name).filter((name) => !name.startsWith('system.'));
  await Promise.all(names.map((drop) => db.command({ drop, maxTimeMS: 5_000 }).catch(unlessHeld)));
}

function unlessHeld(error: unknown): void {
  if (!(error instanceof MongoServerError && error.code === MAX_TIME_MS_EXPIRED)) throw error;
}
