import type { Entity } from '../../model/entity/entity.ts';
import type { Condition } from '../../store/entities/query.ts';
import type { RequestContext } from '../request/request-context.ts';

/** Records that the caller writes in a workspace and thereby accepts it (contract §12); only once, so that later writes cost nothing. */
export async function noteUse(ctx: RequestContext, workspace: Entity): Promise<void> {
  const known = workspace.stored('used_by');
  if (Array.isArray(known) && known.includes(ctx.tenant)) return;
  await ctx.writeStores().workspaces.accept(workspace.id, ctx.tenant, { used: true });
}

/** The organizations of the parties whose tenants have accepted a workspace, the client's first. */
export function acceptedBy(workspace: Entity): string[] {
  const accepted = workspace.stored('accepted_by');
  if (!Array.isArray(accepted)) return [];
  return ['client', 'vendor']
    .filter((side) => accepted.includes(workspace.stored(`parties.${side}.tenant`)))
    .map((side) => String(workspace.stored(`parties.${side}.id`)));
}

/** The condition that excludes declined workspaces, and their contents, from lists over all workspaces. */
export async function notDeclined(ctx: RequestContext, stored: 'workspace' | '_id'): Promise<Condition | undefined> {
  const declined = await ctx.readStores().workspaces.declinedBy(ctx.tenant);
  return declined.length > 0 ? { stored, noneOf: declined } : undefined;
}
