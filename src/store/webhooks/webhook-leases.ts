import type { Collection, Db, Filter } from 'mongodb';
import type { StoredWebhook } from '../../model/webhooks/webhook.ts';
import { WriteTimeout } from '../connection/bounded-writes.ts';

const LEASE_MS = 6_000;
/** A gateway that could not renew a lease for this long has lost it: others may deliver. */
export const LOST_MS = 5_000;
/** How long a renewal of many leases may take; if it takes longer, a transaction probably locks one of the webhooks. */
const TOGETHER_MS = 1_000;
/** How long the renewal of one lease waits for a transaction that locks the webhook. */
const ALONE_MS = 250;
/** The most leases renewed side by side, one command for each. */
const ALONE_AT_ONCE = 16;
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
    await Promise.all([this.#together(holder, locked), this.#eachAlone(holder, locked.slice(0, ALONE_AT_ONCE))]);
    await this.#webhooks.updateOne({ _id: holder }, { $set: { _id: holder } }); // waits until a majority has what was renewed
    const isHeld = { $expr: { $gt: ['$lease_until', { $add: ['$$NOW', LEASE_MS - LOST_MS] }] } };
    return this.#webhooks.find({ enabled: true, lease_holder: holder, ...isHeld }).toArray();
  }

  /** Lets other gateways take over at once, except where a webhook is locked: that lease expires. */
  async release(holder: string): Promise<void> {
    const own = { lease_holder: holder, _id: { $nin: [...this.#locked] } };
    await this.#webhooks.updateMany(own, { $set: { lease_until: new Date(0) } });
  }

  /** Renews leases with one command, and if a locked webhook holds it up, those it did not reach one by one. */
  async #together(holder: string, locked: readonly string[]): Promise<void> {
    const others = { ...wantedBy(holder), _id: { $nin: [...locked] } };
    try {
      await this.#webhooks.updateMany(others, [{ $set: termOf(holder) }], { maxTimeMS: TOGETHER_MS, ...BY_PRIMARY });
      return;
    } catch (error) {
      if (!(error instanceof WriteTimeout)) throw error;
    }
    const isMissed = { $lt: ['$lease_until', { $add: ['$$NOW', LEASE_MS - TOGETHER_MS - MARGIN_MS] }] };
    const missed = this.#webhooks.find({ ...others, $expr: isMissed }, { projection: { _id: 1 } });
    const ids = (await missed.toArray()).map(({ _id }) => _id);
    while (ids.length > 0) await this.#eachAlone(holder, ids.splice(0, ALONE_AT_ONCE));
  }

  async #eachAlone(holder: string, ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => this.#alone(holder, id)));
  }

  async #alone(holder: string, _id: string): Promise<void> {
    this.#locked.delete(_id);
    try {
      const options = { maxTimeMS: ALONE_MS, ...BY_PRIMARY };
      await this.#webhooks.updateOne({ _id, ...wantedBy(holder) }, [{ $set: termOf(holder) }], options);
    } catch (error) {
      if (!(error instanceof WriteTimeout)) throw error;
      this.#locked.add(_id);
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
