import type { Collection, Db, Filter } from 'mongodb';
import { type DisabledReason, placeOf, type StoredWebhook, VERSIONED } from '../../model/webhooks/webhook.ts';
import { type Transaction, within } from '../transactions/transaction.ts';

/** The members that a change to a webhook sets. */
type WebhookChange = Partial<Omit<StoredWebhook, '_id' | 'tenant' | 'replay_after' | 'lease_holder' | 'lease_until'>>;

/** What is known about the receiver at a URL. */
type ReceiverState = Partial<Pick<StoredWebhook, 'failing_since' | 'paused_until'>>;

type WebhookKey = Pick<StoredWebhook, '_id' | 'tenant'>;

/** The webhooks of tenants. */
export class WebhookStore {
  readonly #collection: Collection<StoredWebhook>;
  /** A document per tenant that makes concurrent creations in a tenant conflict. */
  readonly #guards: Collection<{ readonly _id: string; readonly made: number }>;

  constructor(db: Db) {
    this.#collection = db.collection('webhooks');
    this.#guards = db.collection('leases');
  }

  /** Inserts a webhook; false if its tenant already has `max`. */
  async insert(webhook: StoredWebhook, max: number, tx: Transaction): Promise<boolean> {
    const { tenant } = webhook;
    const guard = { _id: `webhooks of ${tenant}` };
    await this.#guards.updateOne(guard, { $inc: { made: 1 } }, { ...within(tx), upsert: true });
    if ((await this.#collection.countDocuments({ tenant }, within(tx))) >= max) return false;
    await this.#collection.insertOne(webhook, within(tx));
    return true;
  }

  /** A tenant's webhook; undefined if there is none with that id, or it belongs to another tenant. */
  async byId(id: string, tenant: string): Promise<StoredWebhook | undefined> {
    return (await this.#collection.findOne({ _id: id, tenant })) ?? undefined;
  }

  /** All webhooks of a tenant, newest first. */
  list(tenant: string): Promise<StoredWebhook[]> {
    return this.#collection.find({ tenant }).sort({ created_at: -1, _id: 1 }).toArray();
  }

  /** The changed webhook; undefined if its settings have changed since they were read, or it was deleted. */
  async change(webhook: StoredWebhook, change: WebhookChange, tx: Transaction): Promise<StoredWebhook | undefined> {
    const options = { ...within(tx), returnDocument: 'after' } as const;
    return (await this.#collection.findOneAndUpdate(unchanged(webhook), { $set: change }, options)) ?? undefined;
  }

  /** Requests a replay of everything after an event; of several pending requests, the earliest place counts. */
  async requestReplay({ _id, tenant }: WebhookKey, after: number, now: Date): Promise<StoredWebhook | undefined> {
    const update = { $min: { replay_after: after }, $set: { modified_at: now } };
    const options = { returnDocument: 'after' } as const;
    return (await this.#collection.findOneAndUpdate({ _id, tenant }, update, options)) ?? undefined;
  }

  /** False if its settings have changed since they were read, or it was deleted. */
  async remove(webhook: StoredWebhook, tx: Transaction): Promise<boolean> {
    return (await this.#collection.deleteOne(unchanged(webhook), within(tx))).deletedCount === 1;
  }

  /** Waits until what was read is committed by the majority. */
  async confirm({ _id }: WebhookKey): Promise<void> {
    await this.#collection.updateOne({ _id }, { $set: { _id } });
  }

  /** The webhook as it is now; undefined if another gateway has taken over delivery, or it was deleted. */
  async held(webhook: StoredWebhook): Promise<StoredWebhook | undefined> {
    return (await this.#collection.findOne(ownOf(webhook))) ?? undefined;
  }

  /** Saves what an attempt shows about the receiver; false if the webhook's URL has changed, or another gateway has taken over. */
  async keep(webhook: StoredWebhook, change: ReceiverState): Promise<boolean> {
    const called = { ...ownOf(webhook), url: webhook.url };
    return (await this.#collection.updateOne(called, { $set: change })).matchedCount === 1;
  }

  /**
   * Saves the place up to which events were matched against this webhook's filters; false if another gateway has taken over, or
   * the filters have changed: those events may include some that it did not ask for before.
   */
  async keepPlace(webhook: StoredWebhook, cursor: number): Promise<boolean> {
    const { event_types, workspace } = webhook;
    const judged = { ...ownOf(webhook), event_types: { $eq: event_types }, workspace };
    return (await this.#collection.updateOne(judged, { $set: { cursor } })).matchedCount === 1;
  }

  /** Stores the same secrets in another form, unless they have been rotated meanwhile. */
  async reseal(webhook: StoredWebhook, secrets: StoredWebhook['secrets']): Promise<void> {
    await this.#collection.updateOne({ ...ownOf(webhook), secrets: { $eq: webhook.secrets } }, { $set: { secrets } });
  }

  /** Begins the requested replay; false if another gateway has taken over, or another replay was requested. */
  async beginReplay(webhook: StoredWebhook, replay_after: number): Promise<boolean> {
    const cursor = placeOf(webhook);
    const requested = { ...ownOf(webhook), replay_after };
    const change = { $set: { cursor }, $unset: { replay_after: 1 } } as const;
    return (await this.#collection.updateOne(requested, change)).matchedCount === 1;
  }

  /** Records that what waited when the webhook was enabled, or got another URL, is due; not if that has happened again since. */
  async waitingAreDue(webhook: StoredWebhook, since: Date): Promise<void> {
    const asked = { ...ownOf(webhook), retry_waiting_at: since };
    await this.#collection.updateOne(asked, { $unset: { retry_waiting_at: 1 } });
  }

  /** True for the caller that disabled it; the URL must still be the one whose receiver is the reason. */
  async disable(webhook: StoredWebhook, reason: DisabledReason, now: Date): Promise<boolean> {
    const change = { enabled: false, disabled_reason: reason, modified_at: now };
    const enabled = { ...ownOf(webhook), url: webhook.url, enabled: true };
    return (await this.#collection.updateOne(enabled, { $set: change })).modifiedCount === 1;
  }
}

/** Matches a webhook as long as the gateway that read it delivers it. */
const ownOf = ({ _id, generation, lease_holder }: StoredWebhook) => ({ _id, generation, lease_holder });

/** Matches a webhook as long as its settings and secrets are those that were read. */
const unchanged = (webhook: StoredWebhook): Filter<StoredWebhook> => ({
  _id: webhook._id,
  tenant: webhook.tenant,
  secrets: { $eq: webhook.secrets },
  ...Object.fromEntries(VERSIONED.map((name) => [name, { $eq: webhook[name] }])),
});
