import { LRUCache } from 'lru-cache';
import type { Collection, Db, Filter } from 'mongodb';
import type { StoredWorkspace } from '../../model/entity/entity.ts';
import type { CollectionUsage } from '../access/entity-usage.ts';
import { type Transaction, within } from '../transactions/transaction.ts';
import { EntityCollection } from './entity-collection.ts';
import type { TimeLimit } from './query.ts';
import type { StoredVersion } from './versions.ts';

/** How long a list may not notice that another gateway declined a workspace, or took that back. */
const DECLINED_MS = 1_000;
/** How many tenants are remembered. */
const TENANTS = 10_000;
/**
 * How many workspaces are remembered, and for how long: less than the sweep of erasures looks at one that was deleted, so that
 * it finds what a gateway left there that died after the insert.
 */
const REMEMBERED = { max: 10_000, ttl: 10 * 60_000 };

/** What never changes of a workspace while it exists: its two parties, and who has used it. */
export interface WorkspaceParties {
  /** The tenants of both. */
  readonly readers: readonly string[];
  /** Their organizations. */
  readonly client: string;
  readonly vendor: string;
  readonly clientTenant: string;
  /** The tenants that have opened it or written in it, and maybe others since. */
  readonly users: readonly string[];
}

interface Declined {
  readonly ids: Promise<readonly string[]>;
  readonly asked: number;
}

/** Which workspaces of an organization are counted. */
export interface OwnWorkspaces {
  readonly organization: string;
  /** The organization's. */
  readonly tenant: string;
  readonly counted: 'accepted' | 'not declined';
}

const asParty = (organization: string): Filter<StoredWorkspace>[] =>
  ['client', 'vendor'].map((side) => ({ [`parties.${side}.id`]: organization }));

/** Workspaces; who accepted or declined them is stored outside their versions, so that a new version leaves it alone. */
export class WorkspaceCollection extends EntityCollection<StoredWorkspace> {
  readonly #workspaces: Collection<StoredWorkspace>;
  readonly #declined = new Map<string, Declined>();
  readonly #parties = new LRUCache<string, WorkspaceParties>(REMEMBERED);

  constructor(db: Db, usage: CollectionUsage | undefined) {
    const workspaces = db.collection<StoredWorkspace>('workspaces');
    super(workspaces, db.collection<StoredVersion>('versions'), { usage });
    this.#workspaces = workspaces;
  }

  /** The parties of a workspace that this service has read before, and that may be gone by now. */
  cachedParties(id: string): WorkspaceParties | undefined {
    return this.#parties.get(id);
  }

  cacheParties(id: string, parties: WorkspaceParties): void {
    this.#parties.set(id, parties);
  }

  /** Forgets a workspace that is gone. */
  forget(id: string): void {
    this.#parties.delete(id);
  }

  /** The ids of the workspaces that a tenant declined, as they were after a moment of `performance.now()`: at most a second ago. */
  declinedBy(tenant: string, after = performance.now() - DECLINED_MS): Promise<readonly string[]> {
    const known = this.#declined.get(tenant);
    if (known && known.asked > after) return known.ids;
    if (this.#declined.size >= TENANTS) this.#declined.clear();
    const asked = performance.now();
    const ids = this.#workspaces.distinct('_id', { declined_by: tenant });
    ids.catch(() => this.#declined.delete(tenant));
    this.#declined.set(tenant, { ids, asked });
    return ids;
  }

  /** The ids of the workspaces that a tenant sees in its lists; undefined where it is party of more than `most`. */
  async listedFor(
    tenant: string,
    { most, ...time }: TimeLimit & { readonly most: number },
  ): Promise<string[] | undefined> {
    const declined = new Set(await this.declinedBy(tenant));
    const options = { projection: { _id: 1 }, limit: most + 1, batchSize: most + 2, ...time };
    const found = await this.#workspaces.find({ readers: tenant }, options).toArray();
    return found.length > most ? undefined : found.map(({ _id }) => _id).filter((id) => !declined.has(id));
  }

  /**
   * Notes that a tenant accepted a workspace; `used` when it opened it or writes in it. False when the workspace is gone, or the
   * organization with which the tenant was a party of it.
   */
  async accept(id: string, tenant: string, { used }: { readonly used: boolean }): Promise<boolean> {
    const { matchedCount } = await this.#workspaces.updateOne(
      { _id: id, $nor: [{ declined_by: tenant, left_by: { $exists: true } }] },
      { $addToSet: { accepted_by: tenant, ...(used && { used_by: tenant }) }, $pull: { declined_by: tenant } },
    );
    this.#declined.delete(tenant);
    return matchedCount === 1;
  }

  /** Notes that a tenant declined a workspace; false when it uses it, or when it is gone. */
  async decline(id: string, tenant: string): Promise<boolean> {
    const { matchedCount } = await this.#workspaces.updateOne(
      { _id: id, used_by: { $ne: tenant } },
      { $addToSet: { declined_by: tenant }, $pull: { accepted_by: tenant } },
    );
    this.#declined.delete(tenant);
    return matchedCount === 1;
  }

  /** How many workspaces of an organization its tenant has accepted, or has not declined. */
  countOf({ organization, tenant, counted }: OwnWorkspaces, tx: Transaction): Promise<number> {
    const which = counted === 'accepted' ? { accepted_by: tenant } : { declined_by: { $ne: tenant } };
    return this.#workspaces.countDocuments({ $or: asParty(organization), ...which }, within(tx));
  }

  /**
   * Takes an organization that is deleted out of the workspaces that its tenant never accepted. An acceptance at the same
   * moment comes before, and is counted, or after, and is refused.
   */
  async leave(organization: string, tenant: string, tx: Transaction): Promise<void> {
    const unaccepted = { $or: asParty(organization), accepted_by: { $ne: tenant } };
    const left = { $addToSet: { declined_by: tenant, left_by: organization } } as const;
    await this.#workspaces.updateMany(unaccepted, left, within(tx));
    this.#declined.delete(tenant);
  }

  protected override async putVersion(
    filter: Filter<StoredWorkspace>,
    { _id, ...after }: StoredWorkspace,
    tx?: Transaction,
  ): Promise<boolean> {
    const change = { $set: after, $unset: { deleting_at: '', held: '', attempt: '' } } as const;
    return (await this.#workspaces.updateOne(filter, change as never, within(tx))).matchedCount === 1;
  }
}
