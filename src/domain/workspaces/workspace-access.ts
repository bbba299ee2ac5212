import { notFound, type ServiceError } from '../../errors.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { isTenantPartition, tenantPartition } from '../../model/entity/partition.ts';
import type { WorkspaceParties } from '../../store/entities/workspaces.ts';
import type { Stores } from '../../store/stores.ts';
import type { Transaction } from '../../store/transactions/transaction.ts';
import { BeingDeleted, type Fate, fateOf } from '../deletion/deletion-guard.ts';
import type { RequestContext } from '../request/request-context.ts';
import { noteUse } from './acceptance.ts';

/** A workspace in which the caller may create documents, and the party that the caller acts for. */
export interface WorkspaceAccess {
  readonly id: string;
  readonly readers: readonly string[];
  /** The organization of the caller's party; if a tenant owns both, the client's (contract §6). */
  readonly owner: string;
  /** The organizations of both parties. */
  readonly parties: readonly string[];
  /** Cached: the workspace may be gone. */
  readonly isRemembered?: true;
}

/** The access the caller will have unless the workspace is gone: it permits nothing, but reads can start with it. */
export function expectedAccess(ctx: RequestContext, id: string): WorkspaceAccess | undefined {
  const parties = ctx.unscopedStores().workspaces.cachedParties(id);
  return parties?.readers.includes(ctx.tenant) ? accessBy(ctx, id, parties) : undefined;
}

/**
 * The cached access of a caller who has written in the workspace before, valid while the workspace exists. Whoever creates something with
 * it must check afterwards that the workspace exists (`fateOfWorkspace`), and before reporting any other error.
 */
export function rememberedAccess(ctx: RequestContext, id: string): WorkspaceAccess | undefined {
  const access = expectedAccess(ctx, id);
  const hasUsed = ctx.writeStores().workspaces.cachedParties(id)?.users.includes(ctx.tenant);
  return access && hasUsed ? { ...access, isRemembered: true } : undefined;
}

/** An entity in a workspace; if the workspace is foreign, the refusal is recorded for the entity. */
interface InsideWorkspace {
  readonly workspace: string;
  readonly entity: string;
}

/**
 * The caller's access to a workspace, or to the workspace of an entity; NOT_FOUND if it does not exist, FORBIDDEN if the caller's
 * tenant is not a party.
 */
export async function accessTo(
  ctx: RequestContext,
  stores: Stores,
  asked: string | InsideWorkspace,
): Promise<WorkspaceAccess> {
  const inside = typeof asked === 'string' ? { workspace: asked, entity: asked } : asked;
  const { access } = await readAccess(ctx, stores, inside);
  return access;
}

/** Like `accessTo`, for a caller about to write there, who thereby accepts the workspace; `reading` is a read in progress. */
export async function accessForWriting(
  ctx: RequestContext,
  id: string,
  reading?: Promise<Entity | undefined>,
): Promise<WorkspaceAccess> {
  const inside = { workspace: id, entity: id, reading };
  const { access, workspace } = await readAccess(ctx, ctx.writeStores(), inside);
  await noteUse(ctx, workspace);
  return access;
}

async function readAccess(
  ctx: RequestContext,
  stores: Stores,
  asked: InsideWorkspace & { readonly reading?: Promise<Entity | undefined> | undefined },
) {
  const { workspace: id, entity, reading } = asked;
  const workspace = await (reading ?? stores.workspaces.byId(id));
  if (!workspace) {
    stores.workspaces.forget(id);
    throw notFound('workspace', id);
  }
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
  users: (workspace.stored('used_by') as readonly string[] | undefined) ?? [],
});

function accessBy({ tenant }: RequestContext, id: string, parties: WorkspaceParties): WorkspaceAccess {
  const { readers, client, vendor, clientTenant } = parties;
  return { id, readers, owner: clientTenant === tenant ? client : vendor, parties: [client, vendor] };
}

/** The access to documents outside workspaces, which only the caller's tenant sees and which have no catalogs. */
export const accessToOwn = ({ tenant }: RequestContext): WorkspaceAccess => ({
  id: tenantPartition(tenant),
  readers: [tenant],
  owner: '',
  parties: [],
});

/** Whether the workspace exists and is not being deleted. */
export async function fateOfWorkspace(ctx: RequestContext, id: string): Promise<Fate> {
  const { workspaces: collection } = ctx.writeStores();
  return isTenantPartition(id) ? 'stays' : fateOf(ctx, { collection, read: async () => [await collection.byId(id)] });
}

/** Receives the catalog records that were read. */
export type SeeRecords = (records: readonly (Entity | undefined)[]) => void;

/** How to read the records that an inserted document refers to. */
export interface RecordReads {
  /** Reads the records that the document's references now resolve to; undefined for each that now resolves to another. */
  readonly meant?: (() => Promise<readonly (Entity | undefined)[]>) | undefined;
  /** Receives the records with their names. */
  readonly see?: SeeRecords | undefined;
}

/** The fate of catalog records, by id: they stay if all are in these catalogs, as meant, and none is being deleted or moved. */
export function fateOfRecords(
  ctx: RequestContext,
  catalogs: ReadonlyMap<string, string>,
  { meant, see }: RecordReads = {},
): Promise<Fate> {
  const { catalogRecords, recordNames } = ctx.writeStores();
  const ids = [...catalogs.keys()];
  const read = async () => {
    const records = await (meant?.() ?? (see ? recordNames : catalogRecords.marks).many(ids));
    see?.(records);
    return records.map((record) => (record?.stored('xtype') === catalogs.get(record?.id ?? '') ? record : undefined));
  };
  return fateOf(ctx, { collection: catalogRecords, read });
}

/** Writes to the workspace in a transaction, which excludes its deletion. */
export async function fenceWorkspace(ctx: RequestContext, { id }: WorkspaceAccess, tx: Transaction): Promise<void> {
  const { workspaces } = ctx.writeStores();
  if ((await workspaces.fence({ _id: id }, ctx.sources.now(), tx)) === 1) return;
  throw (await workspaces.byId(id)) ? workspaceBeingDeleted(id) : notFound('workspace', id);
}

/** The FORBIDDEN error for a foreign workspace, or for something in it. */
export const foreignWorkspace = (ctx: RequestContext, id: string, entity = id): ServiceError =>
  ctx.refusedAccess(entity, `Your tenant is not a party of the workspace ${id}.`);

/** The error of a creation in a workspace whose earlier deletion did not finish in time. */
export const workspaceBeingDeleted = (id: string): ServiceError =>
  new BeingDeleted(`The workspace ${id} is being deleted.`);

/** The error of a creation that was undone, by the fate of its workspace. */
export const refusedBy = (fate: Fate, id: string): ServiceError =>
  fate === 'gone' ? notFound('workspace', id) : workspaceBeingDeleted(id);
