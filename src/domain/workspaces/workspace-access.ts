import { LRUCache } from 'lru-cache';
import type { ClientSession } from 'mongodb';
import { forbidden, notFound, ServiceError } from '../../errors.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { isTenantHome, tenantHome } from '../../model/entity/home.ts';
import type { Stores } from '../../store/stores.ts';
import type { Asker } from '../request/request-context.ts';

/** Where the caller may put documents: a workspace, and the party that the caller acts for in it. */
export interface WorkspaceAccess {
  readonly id: string;
  readonly readers: readonly string[];
  /** The organization of the caller's party; where a tenant owns both, the client's (contract §6). */
  readonly owner: string;
  /** The organizations of both parties. */
  readonly parties: readonly string[];
}

/** How long a deletion's mark is believed; one that is older was left by a gateway that died. */
const DELETION_MARK_MS = 30_000;

/** What tenants had access to: the parties of a workspace never change, but it may be gone. */
const known = new LRUCache<string, WorkspaceAccess>({ max: 10_000 });

/** The access that the caller had before. It allows nothing: it is for looking ahead while `accessTo` is asked. */
export const expectedAccess = ({ tenant }: Asker, id: string): WorkspaceAccess | undefined =>
  known.get(`${tenant} ${id}`);

/** The caller's access to a workspace; NOT_FOUND when there is none, FORBIDDEN when it belongs to others. */
export async function accessTo(asker: Asker, stores: Stores, id: string): Promise<WorkspaceAccess> {
  const workspace = await stores.workspaces.byId(id);
  if (!workspace) throw notFound('workspace', id);
  if (!workspace.readers.includes(asker.tenant)) throw foreignWorkspace(id);
  const access = accessOf(asker, workspace);
  known.set(`${asker.tenant} ${id}`, access);
  return access;
}

/** The caller's access to a workspace that the caller may see. */
export function accessOf(asker: Asker, workspace: Entity): WorkspaceAccess {
  const client = String(workspace.stored('parties.client.id'));
  const vendor = String(workspace.stored('parties.vendor.id'));
  const owner = workspace.stored('parties.client.tenant') === asker.tenant ? client : vendor;
  return { id: workspace.id, readers: workspace.readers, owner, parties: [client, vendor] };
}

/** The place of documents without a workspace: the caller's tenant alone sees them, and there are no catalogs. */
export const accessToOwn = ({ tenant }: Asker): WorkspaceAccess => ({
  id: tenantHome(tenant),
  readers: [tenant],
  owner: '',
  parties: [],
});

/**
 * Tells whether the workspace still takes new entities. A creation inserts first and looks here after; a deletion marks
 * first and counts after: whichever comes second sees the other, so that nothing is left without its workspace.
 */
export async function takesEntities(asker: Asker, stores: Stores, id: string): Promise<boolean> {
  if (isTenantHome(id)) return true;
  const workspace = await stores.workspaces.byId(id);
  if (!workspace) return false;
  return !isGoing(asker, workspace);
}

/** The same for catalog records: true while every one of them exists and none is being deleted. */
export async function recordsStay(asker: Asker, stores: Stores, ids: readonly string[]): Promise<boolean> {
  const records = await stores.catalogRecords.byIds(ids);
  return records.every((record) => record !== undefined && !isGoing(asker, record));
}

function isGoing(asker: Asker, entity: Entity): boolean {
  const mark = entity.stored('deleting_at');
  return mark instanceof Date && asker.sources.now().getTime() - mark.getTime() <= DELETION_MARK_MS;
}

/** Writing to the workspace in a transaction excludes its deletion. */
export async function holdWorkspace(asker: Asker, { id }: WorkspaceAccess, session?: ClientSession): Promise<void> {
  const { workspaces } = asker.write;
  const free = { _id: id, ...unmarkedAt(asker.sources.now()) };
  if (await workspaces.mark(free, { $inc: { held: 1 } }, session)) return;
  throw (await workspaces.byId(id)) ? workspaceGoing(id) : notFound('workspace', id);
}

/** The filter for what no deletion has marked, or only one that died. */
export const unmarkedAt = (now: Date) => ({
  $or: [{ deleting_at: { $exists: false } }, { deleting_at: { $lt: new Date(now.getTime() - DELETION_MARK_MS) } }],
});

export const foreignWorkspace = (id: string): ServiceError =>
  forbidden(`Your tenant is not a party of the workspace ${id}.`);

/** What a creation answers that came second. */
export const workspaceGoing = (id: string): ServiceError =>
  new ServiceError('CONFLICT', `The workspace ${id} is being deleted.`);
