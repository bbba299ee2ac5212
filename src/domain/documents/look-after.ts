import { outcomeUnknown, ServiceError } from '../../errors.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { BeingDeleted, type Fate } from '../deletion-guard.ts';
import type { RequestContext } from '../request/request-context.ts';
import { takeBack } from '../versions/versions.ts';
import { eraseLeftBehind } from '../workspaces/left-behind.ts';
import { fateOfRecords, fateOfWorkspace, refusedBy, workspaceBeingDeleted } from '../workspaces/workspace-access.ts';
import { eraseBelow } from './tree.ts';

/** A document that this try inserted, or that it took over from an earlier try. */
export interface Inserted {
  readonly id: string;
  readonly versionId: string;
  readonly workspace: string;
  readonly parent: string | null;
  readonly refs: readonly string[];
  /** An earlier try may have been answered 201 for it, so that it is taken back only when it cannot stay. */
  readonly wasFound: boolean;
}

/** A document as a try finds what an earlier one inserted. */
export const found = (entity: Entity, workspace: string): Inserted => ({
  id: entity.id,
  versionId: entity.versionId,
  workspace,
  parent: entity.parentId,
  refs: entity.stored('refs') as string[],
  wasFound: true,
});

/**
 * Looks whether what the document needs is still there: true when it stays, false when it was taken back since a record
 * or its parent went away. Throws when its workspace went away, or when nobody can say yet.
 */
export async function lookAfter(ctx: RequestContext, inserted: Inserted): Promise<boolean> {
  const stores = ctx.writeStores();
  const { id, workspace, parent, refs, wasFound } = inserted;
  const [home, records, parentStays] = await Promise.all([
    fateOfWorkspace(ctx, workspace),
    fateOfRecords(ctx, refs),
    parent === null || stores.documents.byId(parent).then((entity) => entity !== undefined),
  ]);
  if (home === 'stays' && records === 'stays' && parentStays) return true;
  if (home === 'gone') {
    await eraseLeftBehind(stores, workspace);
    throw refusedBy(home, workspace);
  }
  const isUndecided = (fate: Fate) => fate === 'undecided';
  if (wasFound && [home, records].some(isUndecided)) throw outcomeUnknown();
  const taken = await takeBack(ctx, stores.documents, inserted);
  if (taken === 0 && (await stores.documents.findOne({ _id: id }))) throw outcomeUnknown();
  await eraseBelow(stores, { ids: [id], workspace });
  if (isUndecided(home)) throw workspaceBeingDeleted(workspace);
  if (isUndecided(records))
    throw new BeingDeleted(`A catalog record that the document ${id} refers to is being deleted.`);
  return false;
}

/** The same when the outcome of the insert is not known, or looking failed: whatever is there has been looked after then. */
export async function lookAgain(ctx: RequestContext, id: string, workspace: string): Promise<void> {
  const { attempt } = ctx.sources;
  const entity = await ctx.writeStores().documents.findOne({ _id: id, ...(attempt !== undefined && { attempt }) });
  if (!entity) return;
  await lookAfter(ctx, found(entity, workspace)).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.code === 'UNAVAILABLE') throw error;
  });
}
