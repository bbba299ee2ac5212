import { nameKey } from '../../model/catalogs.ts';
import type { Entity, StoredCatalogRecord } from '../../model/entity/entity.ts';
import { catalogRecordType } from '../../model/entity/entity-types.ts';
import { storedParts } from '../../model/fields/text-parts.ts';
import type { RequestContext } from '../request/request-context.ts';
import { firstVersion, nextVersion } from '../versions/versions.ts';
import type { WorkspaceAccess } from '../workspaces/workspace-access.ts';
import type { CatalogReference } from './catalog-reference.ts';

/** The record that a reference creates; its name is the xref if the reference has no name. */
export function newCatalogRecord(
  ctx: RequestContext,
  access: WorkspaceAccess,
  { catalog, xref, name }: CatalogReference,
): StoredCatalogRecord {
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
    created_for: nameKey(shown),
  };
}

/** The parts of a record's name, in the form in which names are compared, and of its xref. */
export const recordParts = (name: string, xref: unknown) => storedParts(catalogRecordType.name, { name, xref });

/** Whether a reference that names the record and an xref adds that xref to it. */
export const mayTakeXref = ({ owner }: WorkspaceAccess, record: Entity): boolean =>
  record.stored('xref') === undefined && record.stored('owner') === owner;

/** The next version of a record to which a reference adds the missing xref; only for records of the caller's party (contract §11). */
export function takesXref(
  ctx: RequestContext,
  access: WorkspaceAccess,
  before: Entity | undefined,
  xref: string | undefined,
): StoredCatalogRecord | undefined {
  if (!before || xref === undefined || !mayTakeXref(access, before)) return undefined;
  const createdFor = before.stored('created_for');
  return {
    ...nextVersion(ctx, before, { ...before.content(), xref }),
    xtype: String(before.stored('xtype')),
    owner: access.owner,
    name_key: String(before.stored('name_key')),
    ...recordParts(String(before.stored('name_key')), xref),
    xref,
    ...(typeof createdFor === 'string' && { created_for: createdFor }),
  };
}
