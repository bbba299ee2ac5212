import type { Collection, Db, Filter } from 'mongodb';
import { JOB_TYPE } from '../../model/document-types/job.ts';
import type { Stored } from '../../model/entity/entity.ts';
import { partsOf } from '../../model/fields/text-parts.ts';
import { type GuardedUpdate, type Rewriting, rewrite } from './guarded-updates.ts';
import type { Migration, MigrationStep } from './migration.ts';

type Searched = Stored & { readonly name_key?: string; readonly parts?: readonly string[] };
type Read = Pick<Searched, '_id' | 'type' | 'version_id' | 'body' | 'name_key' | 'parts'>;

/** The collections with substring search. Documents come last: they are the most numerous. */
const COLLECTIONS = ['organizations', 'catalog_records', 'documents'] as const;

/** The members that the parts are derived from; bodies may be large. */
const NEEDED = {
  ...{ type: 1, version_id: 1, name_key: 1, parts: 1 },
  ...Object.fromEntries(['name', 'xref', 'refNumber', 'tripNumber'].map((name) => [`body.${name}`, 1])),
} as const;

const BATCH = 500;

/** Adds the parts of texts to entities stored before an index searched them. Versions and times do not change. */
export const partsOfTexts: Migration = {
  title: 'parts of texts that are searched for what they contain',
  isRepeatable: true,
  total: async (db) => {
    const counts = await Promise.all(COLLECTIONS.map((name) => db.collection(name).estimatedDocumentCount()));
    return counts.reduce((sum, count) => sum + count, 0);
  },
  async *steps(db: Db, after: string | undefined) {
    const [begun = COLLECTIONS[0], id] = after?.split(' ') ?? [];
    const left = COLLECTIONS.slice(Math.max(0, COLLECTIONS.indexOf(begun as (typeof COLLECTIONS)[number])));
    for (const name of left) yield* stepsIn(db, name, name === begun ? id : undefined);
  },
};

async function* stepsIn(db: Db, name: string, after: string | undefined): AsyncGenerator<MigrationStep> {
  const collection = db.collection<Searched>(name);
  const rewriting: Rewriting<Searched, Read> = {
    collection,
    readAgain: (ids) => read(collection, { _id: { $in: ids } }, BATCH),
    updateOf,
  };
  for (let id = after; ; ) {
    const place: Filter<Searched> = id === undefined ? {} : { _id: { $gt: id } };
    const batch = await read(collection, place, BATCH);
    const last = batch.at(-1);
    if (!last) return;
    id = last._id;
    yield { place: `${name} ${id}`, read: batch.length, changed: await rewrite(rewriting, batch) };
  }
}

const read = (collection: Collection<Searched>, filter: Filter<Searched>, limit: number): Promise<Read[]> =>
  collection.find(filter, { projection: NEEDED, sort: { _id: 1 }, limit, singleBatch: true }).toArray();

function updateOf({ _id, type, version_id, body, name_key, parts = [] }: Read): GuardedUpdate<Searched>[] {
  const isDocument = name_key === undefined;
  if (isDocument && type !== JOB_TYPE) return [];
  const wanted = partsOf(type, isDocument ? (body ?? {}) : { ...body, name: name_key });
  if (wanted.length === parts.length && wanted.every((part, index) => part === parts[index])) return [];
  const change = wanted.length > 0 ? { $set: { parts: wanted } } : { $unset: { parts: '' as const } };
  return [{ id: _id, update: { updateOne: { filter: { _id, version_id }, update: change } } }];
}
