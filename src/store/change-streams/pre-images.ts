import type { Db } from 'mongodb';

/** Makes MongoDB keep images of what is changed or deleted in these collections, for change streams. */
export async function keepImages(db: Db, collections: readonly string[]): Promise<void> {
  for (const name of collections) {
    const [found] = await db.listCollections({ name }, { nameOnly: false }).toArray();
    if (found && 'options' in found && found.options?.changeStreamPreAndPostImages?.enabled) continue;
    await db.command({ collMod: name, changeStreamPreAndPostImages: { enabled: true } });
  }
}
