import type { Db } from 'mongodb';

/** Collections whose changed and deleted documents change streams are to show. */
const WITH_IMAGES = ['documents', 'attachments', 'synonyms'] as const;

/** Makes MongoDB keep images of what is changed or deleted in these collections, for change streams. */
export async function keepImages(db: Db): Promise<void> {
  for (const name of await collectionsWithoutImages(db)) {
    await db.command({ collMod: name, changeStreamPreAndPostImages: { enabled: true } });
  }
}

/** Those of which MongoDB does not keep images. */
export async function collectionsWithoutImages(db: Db): Promise<readonly string[]> {
  const found = await db.listCollections({ name: { $in: WITH_IMAGES } }, { nameOnly: false }).toArray();
  const kept = found.filter((one) => 'options' in one && one.options?.changeStreamPreAndPostImages?.enabled);
  return WITH_IMAGES.filter((name) => kept.every((one) => one.name !== name));
}
