import { notFound, type ServiceError } from '../../errors.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { isTenantPartition, tenantPartition } from '../../model/entity/partition.ts';
import type { WorkspaceParties } from '../../store/entities/workspaces.ts';
import type { Stores } from '../../store/stores.ts';
import type { Transaction } from '../../store/transaction.ts';
import { BeingDeleted, type Fate, fateOf } from '../deletion-guard.ts';
import type { RequestContext } from '../request/request-context.ts';
import { noteUse } from './acceptance.ts';

/** Where the caller may put documents: a workspace, and the party that the caller acts for in it. */
export interface WorkspaceAccess {
  readonly id: string;
  readonly readers: readonly string[];
  /** The organization of the caller's party; where a tenant owns both, the client's (contract §6). */
  readonly owner: string;
  /** The organizations of both parties. */
  readonly parties: readonly string[];
}

/** The access that the caller will have unless the workspace is gone: it permits nothing, but reads can start with it. */
export function expectedAccess(ctx: RequestContext, id: string): WorkspaceAccess | undefined {
  const parties = ctx.unscopedStores().workspaces.cachedParties(id);
  return parties?.readers.includes(ctx.tenant) ? accessBy(ctx, id, parties) : undefined;
}

/** Something that is asked for in a workspace; where that is foreign, access to this was refused. */
export interface InsideWorkspace {
  readonly workspace: string;
  readonly entity: string;
}

/**
 * The caller's access to a workspace, or to that of something in it; NOT_FOUND when there is none, FORBIDDEN when it
 * belongs to others.
 */
export async function accessTo(
  ctx: RequestContext,
  stores: Stores,
  asked: string | InsideWorkspace,
): Promise<WorkspaceAccess> {
  const { access } = await readAccess(ctx, stores, asked);
  return access;
}

/** The same for a caller that is about to write there, which accepts the workspace. */
export async function accessForWriting(ctx: RequestContext, id: string): Promise<WorkspaceAccess> {
  const { access, workspace } = await readAccess(ctx, ctx.writeStores(), id);
  await noteUse(ctx, workspace);
  return access;
}

async function readAccess(ctx: RequestContext, stores: Stores, asked: string | InsideWorkspace) {
  const { workspace: id, entity } = typeof asked === 'string' ? { workspace: asked, entity: asked } : asked;
  const workspace = await stores.workspaces.byId(id);
  if (!workspace) throw notFound('workspace', id);
  if (!workspace.readers.includes(ctx.tenant)) throw foreignWorkspace(ctx, id, entity);
  const parties = partiesOf(workspace);
  stores.workspaces.cacheParties(id, parties);
  return { access: accessBy(ctx, id, parties), workspace };
}

const partiesOf = (workspace: Entity): WorkspaceParties => ({
  readers: workspace.readers,
  client: String(workspace.stored('parties.client.id')),
  vendor: String(workspace.stored('parties.vendor.id')),
  clientTenant: String(workspace.stored('parties.client.tenant')),
});

/** The caller's access to a workspace that the caller may see. */
export const accessOf = (ctx: RequestContext, workspace: Entity): WorkspaceAccess =>
  accessBy(ctx, workspace.id, partiesOf(workspace));

function accessBy({ tenant }: RequestContext, id: string, parties: WorkspaceParties): WorkspaceAccess {
  const { readers, client, vendor, clientTenant } = parties;
  return { id, readers, owner: clientTenant === tenant ? client : vendor, parties: [client, vendor] };
}

/** The place of documents without a workspace: the caller's tenant alone sees them, and there are no catalogs. */
export const accessToOwn = ({ tenant }: RequestContext): WorkspaceAccess => ({
  id: tenantPartition(tenant),
  readers: [tenant],
  owner: '',
  parties: [],
});

/** Whether the workspace still takes new entities. */
export async function fateOfWorkspace(ctx: RequestContext, id: string): Promise<Fate> {
  return isTenantPartition(id) ? 'stays' : fateOf(ctx, async () => [await ctx.writeStores().workspaces.byId(id)]);
}

/** The same for catalog records: they stay while every one of them exists and none is being deleted. */
export const fateOfRecords = (ctx: RequestContext, ids: readonly string[]): Promise<Fate> =>
  fateOf(ctx, () => ctx.writeStores().catalogRecords.byIds(ids));

/** Writing to the workspace in a transaction excludes its deletion. */
export async function fenceWorkspace(ctx: RequestContext, { id }: WorkspaceAccess, tx: Transaction): Promise<void> {
  const { workspaces } = ctx.writeStores();
  if ((await workspaces.fence({ _id: id }, ctx.sources.now(), tx)) === 1) return;
  throw (await workspaces.byId(id)) ? workspaceBeingDeleted(id) : notFound('workspace', id);
}

/** FORBIDDEN for a workspace of others, or for something in it. */
export const foreignWorkspace = (ctx: RequestContext, id: string, entity = id): ServiceError =>
  ctx.refusedAccess(entity, `Your tenant is not a party of the workspace ${id}.`);

/** What a creation answers that came second, and whose deletion has not ended in time. */
export const workspaceBeingDeleted = (id: string): ServiceError =>
  new BeingDeleted(`The workspace ${id} is being deleted.`);

/** What a creation answers that did not stay, by what became of its workspace. */
export const refusedBy = (fate: Fate, id: string): ServiceError =>
  fate === 'gone' ? notFound('workspace', id) : workspaceBeingDeleted(id);
