import { ServiceError } from '../../errors.ts';
import type { Entity, StoredWorkspace } from '../../model/entity/entity.ts';
import type { Condition } from '../../store/entities/query.ts';
import type { RequestContext } from '../request/request-context.ts';

/**
 * Records that the caller has written in a workspace and thereby accepts it (contract §12); only once, so that later writes cost nothing.
 */
export async function noteUse(ctx: RequestContext, workspace: Entity): Promise<void> {
  const known = workspace.stored('used_by');
  if (Array.isArray(known) && known.includes(ctx.tenant)) return;
  await noteAcceptance(ctx, workspace.id, { used: true });
}

/**
 * Records that the caller accepts a workspace, `used` if by writing in it; CONFLICT if the organization by which the caller's tenant was
 * a party has been deleted.
 */
export async function noteAcceptance(ctx: RequestContext, id: string, how: { readonly used: boolean }): Promise<void> {
  const { workspaces } = ctx.writeStores();
  if ((await workspaces.accept(id, ctx.tenant, how)) || !(await workspaces.byId(id))) return;
  throw new ServiceError(
    'CONFLICT',
    `Your tenant's organization in the workspace ${id} was deleted, so that your tenant can neither accept the workspace nor write in it.`,
  );
}

/** The organizations of the parties whose tenants have accepted a workspace, the client first. */
export function acceptedBy(workspace: Entity): string[] {
  const accepted = tenantsOf(workspace);
  return ['client', 'vendor']
    .filter((side) => accepted.includes(String(workspace.stored(`parties.${side}.tenant`))))
    .map((side) => String(workspace.stored(`parties.${side}.id`)));
}

/** What is stored of the acceptance of a workspace, beside its versions, now that the caller has written in it. */
export const acceptanceOnceUsed = (ctx: RequestContext, before: Entity): Pick<StoredWorkspace, 'accepted_by'> => ({
  accepted_by: [...tenantsOf(before), ctx.tenant],
});

/** The tenants that have accepted a workspace. */
const tenantsOf = (workspace: Entity): readonly string[] =>
  (workspace.stored('accepted_by') as StoredWorkspace['accepted_by']) ?? [];

/** The condition that excludes declined workspaces, and their contents, from lists over all workspaces. */
export async function notDeclined(ctx: RequestContext, stored: 'workspace' | '_id'): Promise<Condition | undefined> {
  const declined = await ctx.readStores().workspaces.declinedBy(ctx.tenant);
  return declined.length > 0 ? { stored, noneOf: declined } : undefined;
}
