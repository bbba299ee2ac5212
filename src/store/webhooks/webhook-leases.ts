import type { Collection, Condition, Db, Filter } from 'mongodb';
import type { StoredWebhook } from '../../model/webhooks/webhook.ts';
import { WriteTimeout } from '../connection/bounded-writes.ts';

const LEASE_MS = 6_000;
/** A gateway that could not renew a lease for this long has lost it: others may deliver. */
export const LOST_MS = 5_000;
/** How long a renewal of many leases may take; if it takes longer, a transaction probably locks one of the webhooks. */
const TOGETHER_MS = 1_000;
/** How long a renewal of a few leases, or one, waits for a transaction that locks a webhook. */
const FEW_MS = 250;
const FEW = 64;
/** The most commands sent side by side for leases that are not renewed together. */
const AT_ONCE = 16;
/** More than the time that a read takes. */
const MARGIN_MS = 100;

/**
 * The right of one gateway at a time to deliver to a webhook, stored with the webhook. Times are by MongoDB's clock. A transaction
 * that changes a webhook (or was left open by a gateway that died) locks it; that delays the renewal of this lease alone.
 */
export class WebhookLeases {
  readonly #webhooks: Collection<StoredWebhook>;
  /** The webhooks that were locked when their leases were to be renewed, those tried longest ago first. */
  readonly #locked = new Set<string>();

  constructor(db: Db) {
    this.#webhooks = db.collection('webhooks');
  }

  /** Renews this gateway's leases, takes over those that no gateway has, and returns the webhooks whose leases it has. */
  async renew(holder: string): Promise<StoredWebhook[]> {
    const locked = [...this.#locked];
    await Promise.all([this.#together(holder, locked), this.#eachAlone(holder, locked.slice(0, AT_ONCE))]);
    await this.#webhooks.updateOne({ _id: holder }, { $set: { _id: holder } }); // waits until a majority has what was renewed
    const isHeld = { $expr: { $gt: ['$lease_until', { $add: ['$$NOW', LEASE_MS - LOST_MS] }] } };
    return this.#webhooks.find({ enabled: true, lease_holder: holder, ...isHeld }).toArray();
  }

  /** Lets other gateways take over at once, except where a webhook is locked: that lease expires. */
  async release(holder: string): Promise<void> {
    const own = { lease_holder: holder, _id: { $nin: [...this.#locked] } };
    await this.#webhooks.updateMany(own, { $set: { lease_until: new Date(0) } });
  }

  /** Renews leases with one command, and if a locked webhook holds it up, those it did not reach a few at a time. */
  async #together(holder: string, locked: readonly string[]): Promise<void> {
    const others = { $nin: [...locked] };
    if (await this.#isRenewed(holder, others, TOGETHER_MS)) return;
    const isMissed = { $lt: ['$lease_until', { $add: ['$$NOW', LEASE_MS - TOGETHER_MS - MARGIN_MS] }] };
    const filter = { ...wantedBy(holder), _id: others, $expr: isMissed };
    const missed = this.#webhooks.find(filter, { projection: { _id: 1 } });
    await this.#inGroups(
      holder,
      (await missed.toArray()).map(({ _id }) => _id),
    );
  }

  /** Renews leases a few at a time, and one by one where a locked webhook holds up its group. */
  async #inGroups(holder: string, ids: readonly string[]): Promise<void> {
    const left: string[] = [];
    for (let at = 0; at < ids.length; at += FEW * AT_ONCE) {
      const groups = Array.from({ length: AT_ONCE }, (_, index) => ids.slice(at + index * FEW, at + (index + 1) * FEW));
      const renew = async (group: readonly string[]): Promise<void> => {
        if (!(await this.#isRenewed(holder, { $in: group }, FEW_MS))) left.push(...group);
      };
      await Promise.all(groups.filter((group) => group.length > 0).map(renew));
    }
    while (left.length > 0) await this.#eachAlone(holder, left.splice(0, AT_ONCE));
  }

  async #eachAlone(holder: string, ids: readonly string[]): Promise<void> {
    const renew = async (id: string): Promise<void> => {
      this.#locked.delete(id);
      if (!(await this.#isRenewed(holder, { $eq: id }, FEW_MS))) this.#locked.add(id);
    };
    await Promise.all(ids.map(renew));
  }

  /** Renews the leases of these webhooks; false if one of them is locked, and others may not have been reached. */
  async #isRenewed(holder: string, _id: Condition<string>, maxTimeMS: number): Promise<boolean> {
    try {
      const wanted = { ...wantedBy(holder), _id };
      await this.#webhooks.updateMany(wanted, [{ $set: termOf(holder) }], { maxTimeMS, ...BY_PRIMARY });
      return true;
    } catch (error) {
      if (error instanceof WriteTimeout) return false;
      throw error;
    }
  }
}

/** Matches the webhooks that a gateway delivers, and those that none does. */
const wantedBy = (holder: string): Filter<StoredWebhook> => {
  const isFree = { $expr: { $lt: ['$lease_until', '$$NOW'] } } as Filter<StoredWebhook>;
  return { enabled: true, $or: [{ lease_holder: holder }, isFree] };
};

const termOf = (holder: string) => ({
  lease_holder: holder,
  lease_until: { $add: ['$$NOW', LEASE_MS] },
  generation: { $cond: [{ $eq: ['$lease_holder', holder] }, '$generation', { $add: ['$generation', 1] }] },
});

const BY_PRIMARY = { writeConcern: { w: 1 } } as const;
