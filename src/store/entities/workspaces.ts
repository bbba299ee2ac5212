import { LRUCache } from 'lru-cache';
import type { Collection, Db, Filter } from 'mongodb';
import type { StoredWorkspace } from '../../model/entity/entity.ts';
import type { CollectionUsage } from '../access/entity-usage.ts';
import { type Transaction, within } from '../transactions/transaction.ts';
import { EntityCollection } from './entity-collection.ts';
import type { TimeLimit } from './query.ts';
import type { StoredVersion } from './versions.ts';

/** How long a list may lag behind another gateway's declining a workspace or undoing that. */
const DECLINED_MS = 1_000;
/** How many tenants are cached. */
const TENANTS = 10_000;
/**
 * How many workspaces are cached, and for how long: shorter than the erasure sweep watches a deleted one, so that it finds what a
 * gateway that died after the insert left there.
 */
const REMEMBERED = { max: 10_000, ttl: 10 * 60_000 };

/** Immutable facts about a workspace: its two parties, and who has used it. */
export interface WorkspaceParties {
  /** The tenants of both parties. */
  readonly readers: readonly string[];
  /** The parties' organizations. */
  readonly client: string;
  readonly vendor: string;
  readonly clientTenant: string;
  /** The tenants that have opened it or written in it; there may be more by now. */
  readonly users: readonly string[];
}

interface Declined {
  readonly ids: Promise<readonly string[]>;
  readonly asked: number;
}

/** Selects the workspaces of an organization to count. */
interface OwnWorkspaces {
  readonly organization: string;
  /** The organization's. */
  readonly tenant: string;
  readonly counted: 'accepted' | 'not declined';
}

const asParty = (organization: string): Filter<StoredWorkspace>[] =>
  ['client', 'vendor'].map((side) => ({ [`parties.${side}.id`]: organization }));

/** Workspaces; acceptance and declining are stored outside the versions, so that a new version leaves them alone. */
export class WorkspaceCollection extends EntityCollection<StoredWorkspace> {
  readonly #workspaces: Collection<StoredWorkspace>;
  readonly #declined = new Map<string, Declined>();
  readonly #parties = new LRUCache<string, WorkspaceParties>(REMEMBERED);

  constructor(db: Db, usage: CollectionUsage | undefined) {
    const workspaces = db.collection<StoredWorkspace>('workspaces');
    super(workspaces, db.collection<StoredVersion>('versions'), { usage });
    this.#workspaces = workspaces;
  }

  /** The parties of a workspace this service has read before; it may be gone by now. */
  cachedParties(id: string): WorkspaceParties | undefined {
    return this.#parties.get(id);
  }

  cacheParties(id: string, parties: WorkspaceParties): void {
    this.#parties.set(id, parties);
  }

  /** Evicts a workspace that is gone. */
  forget(id: string): void {
    this.#parties.delete(id);
  }

  /**
   * The ids of the workspaces a tenant declined, as of some moment later than `after` (by `performance.now()`): by default at most a
   * second ago.
   */
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

  /** The ids of the workspaces a tenant sees in its lists; undefined if it is party to more than `most`. */
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
   * Records that a tenant accepted a workspace; `used` if it opened it or writes in it. False if the workspace, or the organization
   * through which the tenant was a party to it, is gone.
   */
  async accept(id: string, tenant: string, { used }: { readonly used: boolean }): Promise<boolean> {
    const { matchedCount } = await this.#workspaces.updateOne(
      { _id: id, $nor: [{ declined_by: tenant, left_by: { $exists: true } }] },
      { $addToSet: { accepted_by: tenant, ...(used && { used_by: tenant }) }, $pull: { declined_by: tenant } },
    );
    this.#declined.delete(tenant);
    return matchedCount === 1;
  }

  /** Records that a tenant declined a workspace; false if the tenant uses it or it is gone. */
  async decline(id: string, tenant: string): Promise<boolean> {
    const { matchedCount } = await this.#workspaces.updateOne(
      { _id: id, used_by: { $ne: tenant } },
      { $addToSet: { declined_by: tenant }, $pull: { accepted_by: tenant } },
    );
    this.#declined.delete(tenant);
    return matchedCount === 1;
  }

  /** How many of an organization's workspaces its tenant has accepted, or has not declined. */
  countOf({ organization, tenant, counted }: OwnWorkspaces, tx: Transaction): Promise<number> {
    const which = counted === 'accepted' ? { accepted_by: tenant } : { declined_by: { $ne: tenant } };
    return this.#workspaces.countDocuments({ $or: asParty(organization), ...which }, within(tx));
  }

  /**
   * Removes a deleted organization from the workspaces that its tenant never accepted. A concurrent acceptance either comes first
   * and is counted, or comes later and is refused.
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
