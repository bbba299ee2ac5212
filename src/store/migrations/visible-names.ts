import type { Collection, Db, Filter } from 'mongodb';
import type { StoredOrganization } from '../../model/entity/entity.ts';
import { visibleKey } from '../../model/entity/organization-keys.ts';
import { type GuardedUpdate, type Rewriting, rewrite } from './guarded-updates.ts';
import type { Migration } from './migration.ts';

type Named = Pick<StoredOrganization, '_id' | 'version_id' | 'body' | 'visible_key'>;

const NEEDED = { version_id: 1, visible_key: 1, 'body.name': 1 } as const;
const BATCH = 500;

/**
 * Records the visible form of organizations' names, so that no other name can look the same. Of those that already look the
 * same, only the oldest is recorded; the others keep their names without a record.
 */
export const visibleNames: Migration = {
  title: 'what is seen of the names of organizations',
  isRepeatable: true,
  total: (db) => db.collection('organizations').estimatedDocumentCount(),
  async *steps(db: Db, after: string | undefined) {
    const organizations = db.collection<StoredOrganization>('organizations');
    const rewriting: Rewriting<StoredOrganization, Named> = {
      collection: organizations,
      readAgain: (ids) => read(organizations, { _id: { $in: [...ids] } }),
      updateOf,
      mayCollide: true,
    };
    for (let place = after; ; ) {
      const batch = await read(organizations, place === undefined ? {} : { _id: { $gt: place } });
      const last = batch.at(-1);
      if (!last) return;
      place = last._id;
      yield { place, read: batch.length, changed: await rewrite(rewriting, batch) };
    }
  },
};

const read = (organizations: Collection<StoredOrganization>, filter: Filter<StoredOrganization>): Promise<Named[]> =>
  organizations.find(filter, { projection: NEEDED, sort: { _id: 1 }, limit: BATCH }).toArray();

function updateOf({ _id, version_id, body, visible_key }: Named): GuardedUpdate<StoredOrganization>[] {
  const wanted = visibleKey(String(body.name));
  if (visible_key === wanted) return [];
  const update = { filter: { _id, version_id }, update: { $set: { visible_key: wanted } } };
  return [{ id: _id, update: { updateOne: update } }];
}
