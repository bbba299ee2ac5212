import { outcomeUnknown, ServiceError } from '../../errors.ts';
import type { DataApiExtras, Entity } from '../../model/entity/entity.ts';
import { referencesIn } from '../catalogs/catalog-reference.ts';
import { BeingDeleted, type Fate } from '../deletion/deletion-guard.ts';
import { eraseLeftBehind } from '../deletion/erase-left-behind.ts';
import { eraseBelow } from '../deletion/erase-tree.ts';
import type { RequestContext } from '../request/request-context.ts';
import { undoInsert } from '../versions/versions.ts';
import {
  fateOfRecords,
  fateOfWorkspace,
  type RecordReads,
  refusedBy,
  workspaceBeingDeleted,
} from '../workspaces/workspace-access.ts';
import { documentKind } from './document-kind.ts';
import { dataApiReferences } from './storage-form.ts';

/** A document that this attempt inserted, or took over from an earlier attempt. */
export interface Inserted extends RecordReads {
  readonly id: string;
  readonly versionId: string;
  readonly workspace: string;
  readonly parent: string | null;
  /** The catalogs of the records that the document refers to, by record id. */
  readonly catalogs: ReadonlyMap<string, string>;
  /** An earlier attempt may have reported success, so the document is removed only if it definitely cannot stay. */
  readonly wasFound: boolean;
}

/** Which version of a document was inserted, and where. */
export const placed = (entity: Entity, workspace: string) => ({
  id: entity.id,
  versionId: entity.versionId,
  workspace,
  parent: entity.parentId,
});

/** A document that an earlier attempt inserted. */
export const found = (entity: Entity, workspace: string): Inserted => ({
  ...placed(entity, workspace),
  catalogs: catalogsOf(entity),
  wasFound: true,
});

function catalogsOf(document: Entity): ReadonlyMap<string, string> {
  const bridge = document.stored('bridge') as DataApiExtras | undefined;
  const references = referencesIn(dataApiReferences(documentKind(document.type), bridge), document.content());
  return new Map(references.flatMap(({ id, catalog }) => (id === undefined ? [] : [[id, catalog]])));
}

/**
 * Checks that all dependencies of the document still exist: true if the document stays, false if it was removed again because a record or
 * its parent was deleted, a record was moved to another catalog, or a reference resolves to another record than the cached one. Throws if
 * its workspace was deleted, or if the outcome is not known yet.
 */
export async function confirmInsert(ctx: RequestContext, inserted: Inserted): Promise<boolean> {
  const stores = ctx.writeStores();
  const { id, workspace, parent, catalogs, wasFound } = inserted;
  const [workspaceFate, records, parentStays] = await Promise.all([
    fateOfWorkspace(ctx, workspace),
    fateOfRecords(ctx, catalogs, inserted),
    parent === null || stores.documents.byId(parent).then((entity) => entity !== undefined),
  ]).catch((error: unknown) => {
    throw error instanceof ServiceError ? outcomeUnknown(error) : error; // a failed check refuses nothing
  });
  if (workspaceFate === 'stays' && records === 'stays' && parentStays) return true;
  if (workspaceFate === 'gone') {
    stores.workspaces.forget(workspace);
    if (!wasFound) await undoInsert(ctx, stores.documents, inserted); // nobody has been told about it, so it leaves no trace
    await eraseLeftBehind(stores, workspace);
    throw refusedBy(workspaceFate, workspace);
  }
  const isUndecided = (fate: Fate) => fate === 'undecided';
  if (wasFound && [workspaceFate, records].some(isUndecided)) throw outcomeUnknown();
  const taken = await undoInsert(ctx, stores.documents, inserted);
  if (taken === 0 && (await stores.documents.findOne({ _id: id }))) throw outcomeUnknown();
  await eraseBelow(stores, { ids: [id], workspace });
  if (isUndecided(workspaceFate)) throw workspaceBeingDeleted(workspace);
  if (isUndecided(records))
    throw new BeingDeleted(`A catalog record that the document ${id} refers to is being deleted.`);
  return false;
}

/** Runs the check later if the insert's outcome is unknown or its check failed, so that whatever was stored gets checked. */
export async function confirmUnknownInsert(ctx: RequestContext, id: string, workspace: string): Promise<void> {
  const { attempt } = ctx.sources;
  const entity = await ctx.writeStores().documents.findOne({ _id: id, ...(attempt !== undefined && { attempt }) });
  if (!entity) return;
  await confirmInsert(ctx, found(entity, workspace)).catch((error: unknown) => {
    if (isUnknown(error)) throw error;
  });
}

/** Whether an error of `confirmInsert` means that the document may exist; all others mean that it was undone. */
export const isUnknown = (error: unknown): boolean => !(error instanceof ServiceError) || error.code === 'UNAVAILABLE';
