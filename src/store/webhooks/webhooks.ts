import type { Collection, Db, Filter } from 'mongodb';
import { type DisabledReason, placeOf, type StoredWebhook, VERSIONED } from '../../model/webhooks/webhook.ts';
import { type Transaction, within } from '../transactions/transaction.ts';

const LEASE_MS = 6_000;

/** What a change of a webhook sets. */
export type WebhookChange = Partial<
  Omit<StoredWebhook, '_id' | 'tenant' | 'replay_after' | 'lease_holder' | 'lease_until'>
>;

/** What is known of the receiver at a URL. */
type ReceiverState = Partial<Pick<StoredWebhook, 'failing_since' | 'paused_until'>>;

type WebhookKey = Pick<StoredWebhook, '_id' | 'tenant'>;

/** The webhooks of tenants. */
export class WebhookStore {
  readonly #collection: Collection<StoredWebhook>;
  /** A document for each tenant, by which two creations of a tenant notice each other. */
  readonly #guards: Collection<{ readonly _id: string; readonly made: number }>;

  constructor(db: Db) {
    this.#collection = db.collection('webhooks');
    this.#guards = db.collection('leases');
  }

  /** Inserts a webhook unless its tenant has `max` already, which is false. */
  async insert(webhook: StoredWebhook, max: number, tx: Transaction): Promise<boolean> {
    const { tenant } = webhook;
    const guard = { _id: `webhooks of ${tenant}` };
    await this.#guards.updateOne(guard, { $inc: { made: 1 } }, { ...within(tx), upsert: true });
    if ((await this.#collection.countDocuments({ tenant }, within(tx))) >= max) return false;
    await this.#collection.insertOne(webhook, within(tx));
    return true;
  }

  /** The webhook of a tenant; undefined when there is none of that id, or it belongs to another. */
  async byId(id: string, tenant: string): Promise<StoredWebhook | undefined> {
    return (await this.#collection.findOne({ _id: id, tenant })) ?? undefined;
  }

  /** All webhooks of a tenant, the newest first. */
  list(tenant: string): Promise<StoredWebhook[]> {
    return this.#collection.find({ tenant }).sort({ created_at: -1, _id: 1 }).toArray();
  }

  /** The changed webhook; undefined when its settings are no longer those that were read, or it was deleted. */
  async change(webhook: StoredWebhook, change: WebhookChange, tx: Transaction): Promise<StoredWebhook | undefined> {
    const options = { ...within(tx), returnDocument: 'after' } as const;
    return (await this.#collection.findOneAndUpdate(unchanged(webhook), { $set: change }, options)) ?? undefined;
  }

  /** Requests a replay of what follows an event; of several that have not begun, the earliest place counts. */
  async requestReplay({ _id, tenant }: WebhookKey, after: number, now: Date): Promise<StoredWebhook | undefined> {
    const update = { $min: { replay_after: after }, $set: { modified_at: now } };
    const options = { returnDocument: 'after' } as const;
    return (await this.#collection.findOneAndUpdate({ _id, tenant }, update, options)) ?? undefined;
  }

  /** False when its settings are no longer those that were read, or it was deleted. */
  async remove(webhook: StoredWebhook, tx: Transaction): Promise<boolean> {
    return (await this.#collection.deleteOne(unchanged(webhook), within(tx))).deletedCount === 1;
  }

  /** Waits until the majority has what was read. */
  async confirm({ _id }: WebhookKey): Promise<void> {
    await this.#collection.updateOne({ _id }, { $set: { _id } });
  }

  /**
   * Renews what this gateway delivers, takes what no gateway delivers, and returns the webhooks that are its own; by
   * MongoDB's clock.
   */
  async lease(holder: string): Promise<StoredWebhook[]> {
    const isFree = { $expr: { $lt: ['$lease_until', '$$NOW'] } } as Filter<StoredWebhook>;
    const isOwn = { $eq: ['$lease_holder', holder] };
    const term = {
      lease_holder: holder,
      lease_until: { $add: ['$$NOW', LEASE_MS] },
      generation: { $cond: [isOwn, '$generation', { $add: ['$generation', 1] }] },
    };
    await this.#collection.updateMany({ enabled: true, $or: [{ lease_holder: holder }, isFree] }, [{ $set: term }]);
    return this.#collection.find({ enabled: true, lease_holder: holder }).toArray();
  }

  /** Lets other gateways deliver at once. */
  async release(holder: string): Promise<void> {
    await this.#collection.updateMany({ lease_holder: holder }, { $set: { lease_until: new Date(0) } });
  }

  /** The webhook as it is now; undefined when another gateway delivers by now, or it was deleted. */
  async held(webhook: StoredWebhook): Promise<StoredWebhook | undefined> {
    return (await this.#collection.findOne(ownOf(webhook))) ?? undefined;
  }

  /** Keeps what an attempt says about the receiver; false when the webhook has another URL by now, or another gateway delivers. */
  async keep(webhook: StoredWebhook, change: ReceiverState): Promise<boolean> {
    const called = { ...ownOf(webhook), url: webhook.url };
    return (await this.#collection.updateOne(called, { $set: change })).matchedCount === 1;
  }

  /**
   * Keeps the place up to which events were judged by what this webhook asks for; false when another gateway delivers by
   * now, or it asks for something else: events that it did not ask for before may be among them.
   */
  async keepPlace(webhook: StoredWebhook, cursor: number): Promise<boolean> {
    const { event_types, workspace } = webhook;
    const judged = { ...ownOf(webhook), event_types: { $eq: event_types }, workspace };
    return (await this.#collection.updateOne(judged, { $set: { cursor } })).matchedCount === 1;
  }

  /** Stores the same secrets in another form, unless they were rotated meanwhile. */
  async reseal(webhook: StoredWebhook, secrets: StoredWebhook['secrets']): Promise<void> {
    await this.#collection.updateOne({ ...ownOf(webhook), secrets: { $eq: webhook.secrets } }, { $set: { secrets } });
  }

  /** Begins the replay that was requested; false when another gateway delivers by now, or another replay was requested. */
  async beginReplay(webhook: StoredWebhook, replay_after: number): Promise<boolean> {
    const cursor = placeOf(webhook);
    const requested = { ...ownOf(webhook), replay_after };
    const change = { $set: { cursor }, $unset: { replay_after: 1 } } as const;
    return (await this.#collection.updateOne(requested, change)).matchedCount === 1;
  }

  /** True for the one who disabled it; it has the URL still whose receiver is the reason. */
  async disable(webhook: StoredWebhook, reason: DisabledReason, now: Date): Promise<boolean> {
    const change = { enabled: false, disabled_reason: reason, modified_at: now };
    const enabled = { ...ownOf(webhook), url: webhook.url, enabled: true };
    return (await this.#collection.updateOne(enabled, { $set: change })).modifiedCount === 1;
  }
}

/** Matches a webhook while the gateway that read it delivers. */
const ownOf = ({ _id, generation, lease_holder }: StoredWebhook) => ({ _id, generation, lease_holder });

/** Matches a webhook while it has the settings and secrets that were read. */
const unchanged = (webhook: StoredWebhook): Filter<StoredWebhook> => ({
  _id: webhook._id,
  tenant: webhook.tenant,
  secrets: { $eq: webhook.secrets },
  ...Object.fromEntries(VERSIONED.map((name) => [name, { $eq: webhook[name] }])),
});
