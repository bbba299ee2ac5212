import type { AnyBulkWriteOperation, Collection, Db, Filter } from 'mongodb';
import type { StoredWorkspace } from '../../model/entity/entity.ts';
import { isTenantPartition, tenantOfPartition } from '../../model/entity/partition.ts';
import type { Migration } from './migration.ts';

/** How many workspaces to read at a time. */
const BATCH = 50;
/** Collections that something in a workspace may have been written to. */
const WRITTEN = ['documents', 'attachments', 'catalog_records', 'synonyms'];

/** Somebody who wrote in a workspace. */
interface Writer {
  readonly workspace: string;
  readonly principal: string;
}

/**
 * Workspaces count as accepted by the tenants that opened them or wrote in them. Principals that are neither keys nor users
 * (those of tokens) belong to the tenant whose organizations, own jobs or reference records they created; if there are none,
 * their tenant accepts the workspace when it next writes in it.
 */
export const acceptedWorkspaces: Migration = {
  title: 'who has accepted workspaces',
  total: (db) => db.collection('workspaces').estimatedDocumentCount(),
  async *steps(db: Db, after: string | undefined) {
    const workspaces = db.collection<StoredWorkspace>('workspaces');
    for (let place = after; ; ) {
      const filter: Filter<StoredWorkspace> = place === undefined ? {} : { _id: { $gt: place } };
      const batch = await workspaces.find(filter, { sort: { _id: 1 }, limit: BATCH }).toArray();
      const last = batch.at(-1);
      if (!last) return;
      place = last._id;
      yield { place, read: batch.length, changed: await noteUse(db, workspaces, batch) };
    }
  },
};

/** Adds to what running gateways record; repeating it changes nothing. */
async function noteUse(
  db: Db,
  workspaces: Collection<StoredWorkspace>,
  batch: readonly StoredWorkspace[],
): Promise<number> {
  const writers = await writersIn(
    db,
    batch.map(({ _id }) => _id),
  );
  const opened = batch.map(({ _id, created_by }) => ({ workspace: _id, principal: created_by }));
  const changed = batch.map(({ _id, modified_by }) => ({ workspace: _id, principal: modified_by }));
  const all = Map.groupBy([...opened, ...changed, ...writers], ({ workspace }) => workspace);
  const tenants = await tenantsOf(db, [...new Set([...all.values()].flat().map(({ principal }) => principal))]);
  const updates = batch.map(({ _id, readers }): AnyBulkWriteOperation<StoredWorkspace> => {
    const using = new Set((all.get(_id) ?? []).flatMap(({ principal }) => [...(tenants.get(principal) ?? [])]));
    const parties = readers.filter((tenant) => using.has(tenant) || readers.length === 1);
    const add = { used_by: { $each: parties }, accepted_by: { $each: parties }, declined_by: { $each: [] } };
    return { updateOne: { filter: { _id }, update: { $addToSet: add } } };
  });
  return (await workspaces.bulkWrite(updates, { ordered: false })).modifiedCount;
}

/** Who wrote in the workspaces, including superseded versions. */
async function writersIn(db: Db, ids: readonly string[]): Promise<Writer[]> {
  const here = { workspace: { $in: [...ids] } };
  const each = (principals: unknown) => [
    { $project: { workspace: 1, principal: principals } },
    { $unwind: '$principal' },
    { $group: { _id: { workspace: '$workspace', principal: '$principal' } } },
    { $replaceRoot: { newRoot: '$_id' } },
  ];
  // Whole versions might not fit into one document.
  const writers = {
    from: 'versions',
    localField: '_id',
    foreignField: 'entity',
    pipeline: [{ $group: { _id: '$modified_by' } }],
    as: 'writers',
  };
  const present = [{ $match: here }, ...each(['$created_by', '$modified_by'])];
  // The first version is the creator's, and the current one is known: only entities with more can have had another writer.
  const superseded = [{ $match: { ...here, revision: { $gt: 2 } } }, { $lookup: writers }, ...each('$writers._id')];
  const found = WRITTEN.flatMap((name) => [
    db.collection(name).aggregate<Writer>(present, { allowDiskUse: true }).toArray(),
    db.collection(name).aggregate<Writer>(superseded, { allowDiskUse: true }).toArray(),
  ]);
  return (await Promise.all(found)).flat();
}

/** The tenants of principals, as far as they can be determined. */
export async function tenantsOf(db: Db, principals: readonly string[]): Promise<Map<string, Set<string>>> {
  const tenants = new Map<string, Set<string>>();
  const note = (principal: string, tenant: string) =>
    tenants.set(principal, (tenants.get(principal) ?? new Set<string>()).add(tenant));
  const known = await db
    .collection<{ _id: string; tenant: string }>('principals')
    .find({ _id: { $in: [...principals] } }, { projection: { tenant: 1 } })
    .toArray();
  for (const { _id, tenant } of known) note(_id, tenant);
  const left = principals.filter((principal) => !tenants.has(principal));
  if (left.length === 0) return tenants;
  const made = [
    { $match: { created_by: { $in: left } } },
    { $group: { _id: { by: '$created_by', tenant: '$tenant' } } },
  ];
  type Made = { readonly _id: { readonly by: string; readonly tenant: string } };
  for (const name of ['organizations', 'reference_records']) {
    for await (const { _id } of db.collection(name).aggregate<Made>(made)) note(_id.by, _id.tenant);
  }
  const own = [
    { $match: { created_by: { $in: left }, workspace: { $regex: '^tenant ' } } },
    { $group: { _id: { by: '$created_by', tenant: '$workspace' } } },
  ];
  for await (const { _id } of db.collection('documents').aggregate<Made>(own)) {
    if (isTenantPartition(_id.tenant)) note(_id.by, tenantOfPartition(_id.tenant));
  }
  return tenants;
}
