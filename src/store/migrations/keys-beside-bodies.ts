import type { Collection, Db, Filter, FindOptions } from 'mongodb';
import { DOCUMENT_TYPES } from '../../model/document-types.ts';
import type { StoredDocument } from '../../model/entity/entity.ts';
import { type Keys, keysOf, sameKeys } from '../../model/fields/field-keys.ts';
import { keyedFieldsOfType } from '../../model/fields/fields.ts';
import { type GuardedUpdate, type Rewriting, rewrite } from './guarded-updates.ts';
import type { Migration } from './migration.ts';

const KEYED = new Map(DOCUMENT_TYPES.map((type) => [type.name, keyedFieldsOfType(type)]));
const MEMBERS = [...KEYED.values()].flat().flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]));

/** The members that a document's keys are derived from; bodies may be large. */
const NEEDED = {
  type: 1,
  version_id: 1,
  keys: 1,
  ...Object.fromEntries(MEMBERS.map((name) => [`body.${name}`, 1])),
} as const;

type Needed = Pick<StoredDocument, '_id' | 'type' | 'version_id' | 'body'> & { readonly keys?: Keys };

/** How many documents to read at a time; of large ones, as many as fit into one MongoDB reply (16 MB). */
const BATCH = 500;

/**
 * Adds comparable values to documents stored before a field had one. Bodies, versions and times do not change, so subscribers
 * are not notified.
 */
export const keysBesideBodies: Migration = {
  title: 'keys beside the bodies of documents',
  isRepeatable: true,
  total: (db) => db.collection('documents').estimatedDocumentCount(),
  async *steps(db: Db, after: string | undefined) {
    const documents = db.collection<StoredDocument>('documents');
    const rewriting: Rewriting<StoredDocument, Needed> = {
      collection: documents,
      readAgain: (ids) => read(documents, { _id: { $in: ids } }),
      updateOf,
    };
    for (let place = after; ; ) {
      const filter = place === undefined ? {} : { _id: { $gt: place } };
      const batch = await read(documents, filter, { limit: BATCH, singleBatch: true });
      const last = batch.at(-1);
      if (!last) return;
      place = last._id;
      yield { place, read: batch.length, changed: await rewrite(rewriting, batch) };
    }
  },
};

const read = (
  documents: Collection<StoredDocument>,
  filter: Filter<StoredDocument>,
  options: FindOptions = {},
): Promise<Needed[]> => documents.find(filter, { ...options, projection: NEEDED, sort: { _id: 1 } }).toArray();

function updateOf({ _id, type, version_id, body, keys }: Needed): GuardedUpdate<StoredDocument>[] {
  const wanted = keysOf(KEYED.get(type) ?? [], body ?? {});
  if (keys && sameKeys(keys, wanted)) return [];
  const filter = { _id, version_id };
  return [{ id: _id, update: { updateOne: { filter, update: { $set: { keys: wanted } } } } }];
}
