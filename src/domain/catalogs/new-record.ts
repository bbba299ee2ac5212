import { nameKey } from '../../model/catalogs.ts';
import type { Entity, StoredCatalogRecord } from '../../model/entity/entity.ts';
import { catalogRecordType } from '../../model/entity/entity-types.ts';
import { storedParts } from '../../model/fields/text-parts.ts';
import type { RequestContext } from '../request/request-context.ts';
import { firstVersion, nextVersion } from '../versions/versions.ts';
import type { WorkspaceAccess } from '../workspaces/workspace-access.ts';
import { type CatalogReference, nameKeyOf } from './catalog-reference.ts';

/** The record that a reference creates. Without a name, the xref is shown as its name, and the record is unique by xref alone. */
export function newCatalogRecord(
  ctx: RequestContext,
  access: WorkspaceAccess,
  reference: CatalogReference,
): StoredCatalogRecord {
  const { catalog, xref, name } = reference;
  const createdFor = nameKeyOf(reference);
  const shown = name ?? xref ?? '';
  const body = {
    workspace: access.id,
    xtype: catalog,
    ownerParty: access.owner,
    name: shown,
    ...(xref !== undefined && { xref }),
  };
  return {
    ...firstVersion(ctx, {
      id: ctx.sources.newId(),
      type: catalogRecordType.name,
      workspace: access.id,
      readers: access.readers,
      body,
    }),
    xtype: catalog,
    owner: access.owner,
    name_key: nameKey(shown),
    ...recordParts(nameKey(shown), xref),
    ...(xref !== undefined && { xref }),
    ...(createdFor !== undefined && { created_for: createdFor }),
  };
}

/** The stored parts of a record's name key and of its xref. */
export const recordParts = (name: string, xref: unknown) => storedParts(catalogRecordType.name, { name, xref });

/** Whether a reference that matches a stored record adds its xref to that record: only for the caller's own party (contract §11). */
export const mayTakeXref = ({ owner }: WorkspaceAccess, record: Entity): boolean =>
  record.stored('xref') === undefined && record.stored('owner') === owner;

/** The next version of a stored record, with the xref added by a reference. */
export function withAddedXref(ctx: RequestContext, before: Entity, xref: string): StoredCatalogRecord {
  const createdFor = before.stored('created_for');
  const next = {
    ...nextVersion(ctx, before, before.content()),
    xtype: String(before.stored('xtype')),
    owner: String(before.stored('owner')),
    name_key: String(before.stored('name_key')),
    ...(typeof createdFor === 'string' && { created_for: createdFor }),
  };
  return withXref(next, xref);
}

/** The record with a newly added xref. */
export const withXref = (record: StoredCatalogRecord, xref: string): StoredCatalogRecord => ({
  ...record,
  body: { ...record.body, xref },
  ...recordParts(record.name_key, xref),
  xref,
});
