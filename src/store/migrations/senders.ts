import type { AnyBulkWriteOperation, Db, Filter } from 'mongodb';
import type { Stored } from '../../model/entity/entity.ts';
import { isTenantPartition, tenantOfPartition } from '../../model/entity/partition.ts';
import { tenantsOf } from './accepted-workspaces.ts';
import type { Migration } from './migration.ts';

/** What counts towards tenants' quotas. */
const COLLECTIONS = ['documents', 'attachments', 'workspaces'] as const;
const BATCH = 500;
const NEEDED = { created_by: 1, workspace: 1, readers: 1 } as const;

/**
 * Records the tenant that sent each document, file and workspace, and whose quota it counts towards: that of the principal who
 * created it. Entities created by an unknown principal count for nobody, unless only one tenant sees them.
 */
export const senders: Migration = {
  title: 'who sent documents, files and workspaces',
  async total(db) {
    const counts = await Promise.all(COLLECTIONS.map((name) => db.collection(name).estimatedDocumentCount()));
    return counts.reduce((sum, count) => sum + count, 0);
  },
  async *steps(db: Db, after: string | undefined) {
    const [from = COLLECTIONS[0], id] = after?.split(' ') ?? [];
    for (const name of COLLECTIONS.slice(COLLECTIONS.indexOf(from as (typeof COLLECTIONS)[number]))) {
      const entities = db.collection<Stored>(name);
      for (let place = name === from ? id : undefined; ; ) {
        const filter: Filter<Stored> = place === undefined ? {} : { _id: { $gt: place } };
        const options = { projection: NEEDED, sort: { _id: 1 }, limit: BATCH } as const;
        const batch = await entities.find(filter, options).toArray();
        const last = batch.at(-1);
        if (!last) break;
        place = last._id;
        const updates = await updatesOf(db, batch);
        const changed = updates.length > 0 ? await entities.bulkWrite(updates, { ordered: false }) : undefined;
        yield { place: `${name} ${place}`, read: batch.length, changed: changed?.modifiedCount ?? 0 };
      }
    }
  },
};

async function updatesOf(db: Db, batch: readonly Stored[]): Promise<AnyBulkWriteOperation<Stored>[]> {
  const tenants = await tenantsOf(db, [...new Set(batch.map(({ created_by }) => created_by))]);
  return batch.flatMap(({ _id, created_by, workspace, readers }) => {
    const known = [...(tenants.get(created_by) ?? [])];
    const candidates = known.length > 0 ? known : readers;
    const [only] = candidates.length === 1 ? candidates : [];
    const sender = workspace !== null && isTenantPartition(workspace) ? tenantOfPartition(workspace) : only;
    const filter = { _id, sender: { $exists: false } };
    return sender === undefined ? [] : [{ updateOne: { filter, update: { $set: { sender } } } }];
  });
}
