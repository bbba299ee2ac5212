import type { Db } from 'mongodb';

/** Collections whose changed and deleted documents change streams must show. */
const WITH_IMAGES = ['documents', 'attachments', 'synonyms'] as const;

/** Makes MongoDB keep pre-images of changed and deleted documents in these collections, for change streams. */
export async function keepImages(db: Db): Promise<void> {
  for (const name of await collectionsWithoutImages(db)) {
    await db.command({ collMod: name, changeStreamPreAndPostImages: { enabled: true } });
  }
}

/** The collections for which MongoDB keeps no pre-images. */
export async function collectionsWithoutImages(db: Db): Promise<readonly string[]> {
  const found = await db.listCollections({ name: { $in: WITH_IMAGES } }, { nameOnly: false }).toArray();
  const kept = found.filter((one) => 'options' in one && one.options?.changeStreamPreAndPostImages?.enabled);
  return WITH_IMAGES.filter((name) => kept.every((one) => one.name !== name));
}
