import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { forbidden, notFound, ServiceError } from '../../errors.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { isTenantPartition, tenantPartition } from '../../model/entity/partition.ts';
import { isBeingDeleted } from '../../store/entities/deletion-mark.ts';
import type { Stores } from '../../store/stores.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { RequestContext } from '../request/request-context.ts';

/** Where the caller may put documents: a workspace, and the party that the caller acts for in it. */
export interface WorkspaceAccess {
  readonly id: string;
  readonly readers: readonly string[];
  /** The organization of the caller's party; where a tenant owns both, the client's (contract §6). */
  readonly owner: string;
  /** The organizations of both parties. */
  readonly parties: readonly string[];
}

/** How long a creation waits for a deletion that may be refused (contract §13). */
export const DELETION_PATIENCE_MS = 5_000;

/** What tenants had access to: the parties of a workspace never change, but it may be gone. */
const known = new LRUCache<string, WorkspaceAccess>({ max: 10_000 });

/** The access that the caller had before. It allows nothing: it is for looking ahead while `accessTo` is asked. */
export const expectedAccess = ({ tenant }: RequestContext, id: string): WorkspaceAccess | undefined =>
  known.get(`${tenant} ${id}`);

/** The caller's access to a workspace; NOT_FOUND when there is none, FORBIDDEN when it belongs to others. */
export async function accessTo(ctx: RequestContext, stores: Stores, id: string): Promise<WorkspaceAccess> {
  const workspace = await stores.workspaces.byId(id);
  if (!workspace) throw notFound('workspace', id);
  if (!workspace.readers.includes(ctx.tenant)) throw foreignWorkspace(id);
  const access = accessOf(ctx, workspace);
  known.set(`${ctx.tenant} ${id}`, access);
  return access;
}

/** The caller's access to a workspace that the caller may see. */
export function accessOf(ctx: RequestContext, workspace: Entity): WorkspaceAccess {
  const client = String(workspace.stored('parties.client.id'));
  const vendor = String(workspace.stored('parties.vendor.id'));
  const owner = workspace.stored('parties.client.tenant') === ctx.tenant ? client : vendor;
  return { id: workspace.id, readers: workspace.readers, owner, parties: [client, vendor] };
}

/** The place of documents without a workspace: the caller's tenant alone sees them, and there are no catalogs. */
export const accessToOwn = ({ tenant }: RequestContext): WorkspaceAccess => ({
  id: tenantPartition(tenant),
  readers: [tenant],
  owner: '',
  parties: [],
});

/** What becomes of something that may be being deleted; `undecided` when the deletion has not ended in time. */
export type Fate = 'stays' | 'gone' | 'undecided';

/**
 * Tells whether the workspace still takes new entities. A creation inserts first and looks here after; a deletion marks
 * first and counts after: whichever comes second sees the other, so that nothing is left without its workspace. A
 * deletion that is under way may yet be refused, so its outcome is waited for.
 */
export async function fateOfWorkspace(ctx: RequestContext, id: string): Promise<Fate> {
  return isTenantPartition(id) ? 'stays' : fateOf(ctx, async () => [await ctx.writeStores().workspaces.byId(id)]);
}

/** The same for catalog records: they stay while every one of them exists and none is being deleted. */
export const fateOfRecords = (ctx: RequestContext, ids: readonly string[]): Promise<Fate> =>
  fateOf(ctx, () => ctx.writeStores().catalogRecords.byIds(ids));

async function fateOf(ctx: RequestContext, read: () => Promise<(Entity | undefined)[]>): Promise<Fate> {
  const until = performance.now() + DELETION_PATIENCE_MS;
  for (let pause = 5; ; pause = Math.min(pause * 1.5, 100)) {
    const entities = await read();
    if (entities.includes(undefined)) return 'gone';
    if (!entities.some((entity) => entity && isBeingDeleted(entity, ctx.sources.now()))) return 'stays';
    if (performance.now() > until) return 'undecided';
    await sleep(pause);
  }
}

/** Writing to the workspace in a transaction excludes its deletion. */
export async function fenceWorkspace(ctx: RequestContext, { id }: WorkspaceAccess, tx: Transaction): Promise<void> {
  const { workspaces } = ctx.writeStores();
  if ((await workspaces.fence({ _id: id }, ctx.sources.now(), tx)) === 1) return;
  throw (await workspaces.byId(id)) ? workspaceBeingDeleted(id) : notFound('workspace', id);
}

/** What is to be written to is being deleted; the deletion may yet be refused. */
export class BeingDeleted extends ServiceError {
  constructor(detail: string) {
    super('CONFLICT', detail);
  }
}

export const foreignWorkspace = (id: string): ServiceError =>
  forbidden(`Your tenant is not a party of the workspace ${id}.`);

/** What a creation answers that came second, and whose deletion has not ended in time. */
export const workspaceBeingDeleted = (id: string): ServiceError =>
  new BeingDeleted(`The workspace ${id} is being deleted.`);

/** What a creation answers that did not stay, by what became of its workspace. */
export const refusedBy = (fate: Fate, id: string): ServiceError =>
  fate === 'gone' ? notFound('workspace', id) : workspaceBeingDeleted(id);
