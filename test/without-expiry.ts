import type { Db } from 'mongodb';

/** Keeps MongoDB from removing what has expired, for a test whose clock is not MongoDB's. */
export async function withoutExpiry(db: Db): Promise<void> {
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    for (const { name: index, expireAfterSeconds } of await db.collection(name).indexes()) {
      if (index !== undefined && expireAfterSeconds !== undefined) await db.collection(name).dropIndex(index);
    }
  }
}
