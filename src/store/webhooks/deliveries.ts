import type { Collection, Db, Document } from 'mongodb';
import {
  type DeliveryAttempt,
  type DeliveryStatus,
  deliveryId,
  type StoredDelivery,
  type StoredWebhook,
} from '../../model/webhooks/webhook.ts';
import { duplicateKeyIndex } from '../duplicate-key.ts';
import type { TimeLimit } from '../entities/query.ts';
import { literal } from '../literal.ts';
import { type Transaction, within } from '../transactions/transaction.ts';

const DAY_MS = 24 * 3_600_000;
const KEPT_MS = 30 * DAY_MS;
/** One that its document waits for is kept for longer than any event, so that nothing behind it is forgotten. */
const WAITING_KEPT_MS = 400 * DAY_MS;
/** How many attempts of a delivery are listed. */
const MAX_ATTEMPTS = 50;

/** What a delivery is of. */
export type DeliverySubject = Pick<StoredDelivery, '_id' | 'webhook' | 'event' | 'type' | 'document'>;

/** What is to be known of a delivery that its document waits for. */
export type WaitingDelivery = Pick<StoredDelivery, '_id' | 'document' | 'event' | 'next_at' | 'waits'>;

/** What an attempt came to. */
export interface DeliveryOutcome {
  readonly status: DeliveryStatus;
  readonly tries: number;
  readonly next_at: Date | null;
  readonly waits: boolean;
  /** That somebody asked for it; otherwise, nobody does any more. */
  readonly asked?: true;
  /** The generation of the webhook that the recording gateway delivers in. */
  readonly fence?: number;
  /**
   * When it was due as an attempt began that failed. If it is due at another time by now, somebody asked for that in the
   * meantime, and it stays so.
   */
  readonly wasDue?: Date | null;
}

/** A page of deliveries. */
export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  readonly limit: number;
  /** Only those made before this delivery. */
  readonly before?: StoredDelivery | undefined;
}

/** The messages to webhooks, and the attempts to deliver them. */
export class DeliveryStore {
  readonly #collection: Collection<StoredDelivery>;
  readonly #webhooks: Collection<StoredWebhook>;

  constructor(db: Db) {
    this.#collection = db.collection('webhook_deliveries');
    this.#webhooks = db.collection('webhooks');
  }

  /**
   * Records what was done for a delivery, or that it is to be done; it is made if it is the first. False, and nothing is
   * recorded, where a gateway has recorded it that delivers in a later generation, or the webhook was deleted.
   */
  async record(
    { _id, ...subject }: DeliverySubject,
    outcome: DeliveryOutcome,
    done: DeliveryAttempt | Date,
  ): Promise<boolean> {
    const { fence } = outcome;
    try {
      const { upsertedCount } = await this.#collection.updateOne(
        { _id, ...(fence !== undefined && { fence: { $not: { $gt: fence } } }) },
        [{ $set: recorded({ _id, ...subject }, outcome, done) }],
        { upsert: true },
      );
      if (upsertedCount === 0 || (await this.#isThere(subject.webhook))) return true;
      await this.removeOf(subject.webhook); // it was deleted with its deliveries before this one was made
      return false;
    } catch (error) {
      if (fence === undefined || duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }

  async byId(webhook: string, id: string): Promise<StoredDelivery | undefined> {
    return (await this.#collection.findOne({ webhook, id })) ?? undefined;
  }

  /** How many deliveries of a webhook there are, or of them with that status. */
  count(webhook: string, status: DeliveryStatus | undefined, time: TimeLimit): Promise<number> {
    return this.#collection.countDocuments({ webhook, ...(status && { status }) }, time);
  }

  /** The deliveries of a webhook, the newest first. */
  list(webhook: string, { status, limit, before }: DeliveryFilter): Promise<StoredDelivery[]> {
    const earlier = before && {
      $or: [{ created_at: { $lt: before.created_at } }, { created_at: before.created_at, _id: { $lt: before._id } }],
    };
    return this.#collection
      .find({ webhook, ...(status && { status }), ...earlier })
      .sort({ created_at: -1, _id: -1 })
      .limit(limit)
      .toArray();
  }

  /** Which of the webhooks have deliveries whose time has come. */
  withDue(webhooks: readonly string[], now: Date): Promise<string[]> {
    return this.#collection.distinct('webhook', { webhook: { $in: [...webhooks] }, next_at: { $lte: now } });
  }

  /** Those whose time has come, the earliest first. */
  due(webhook: string, now: Date, limit: number): Promise<StoredDelivery[]> {
    return this.#collection
      .find({ webhook, next_at: { $lte: now } })
      .sort({ next_at: 1 })
      .limit(limit)
      .toArray();
  }

  /** The same of those that somebody asked for. */
  asked(webhook: string, now: Date, limit: number): Promise<StoredDelivery[]> {
    return this.#collection
      .find({ webhook, asked: true, next_at: { $lte: now } })
      .sort({ next_at: 1 })
      .limit(limit)
      .toArray();
  }

  /**
   * Those that later events of their document wait for. From here on they are those of this generation: gateways that
   * delivered before cannot change them any more.
   */
  async takeWaiting(webhook: string, fence: number): Promise<WaitingDelivery[]> {
    const earlier = { webhook, waits: true, fence: { $not: { $gte: fence } } };
    await this.#collection.updateMany(earlier, { $set: { fence } });
    const projection = { document: 1, event: 1, next_at: 1, waits: 1 } as const;
    return this.#collection.find<WaitingDelivery>({ webhook, waits: true, fence }, { projection }).toArray();
  }

  /** How many wait for another attempt in these webhooks, and when the oldest of them was made. */
  async backlogOf(
    webhooks: readonly string[],
  ): Promise<{ readonly waiting: number; readonly oldest: Date | undefined }> {
    const waits = { webhook: { $in: [...webhooks] }, waits: true };
    const [waiting, oldest] = await Promise.all([
      this.#collection.countDocuments(waits),
      this.#collection.findOne(waits, { sort: { created_at: 1 }, projection: { created_at: 1 } }),
    ]);
    return { waiting, oldest: oldest?.created_at };
  }

  /** The delivery, while later events of its document wait for it. */
  async waiting({ _id }: Pick<StoredDelivery, '_id'>): Promise<StoredDelivery | undefined> {
    return (await this.#collection.findOne({ _id, waits: true })) ?? undefined;
  }

  /** Nothing waits for a delivery any more. */
  async settle({ _id }: StoredDelivery, fence: number, now: Date): Promise<void> {
    const change = { waits: false, expires_at: new Date(now.getTime() + KEPT_MS) };
    await this.#collection.updateOne({ _id, fence: { $not: { $gt: fence } } }, { $set: change });
  }

  /** Makes a delivery due now; undefined when there is none of that id. */
  async retryNow(webhook: string, id: string, now: Date): Promise<StoredDelivery | undefined> {
    const options = { returnDocument: 'after' } as const;
    const change = { $set: { next_at: now, asked: true } } as const;
    return (await this.#collection.findOneAndUpdate({ webhook, id }, change, options)) ?? undefined;
  }

  /** Makes everything that waits due now, when a webhook is enabled again or has another URL. */
  async retryWaiting(webhook: string, now: Date, tx: Transaction): Promise<void> {
    await this.#collection.updateMany({ webhook, waits: true }, { $set: { next_at: now, tries: 0 } }, within(tx));
  }

  /** Nothing waits any more for events after a place, since all of them come again. */
  async forgetAfter(webhook: string, place: number, now: Date): Promise<void> {
    const after = { webhook, waits: true, event: { $gt: place } };
    const expires_at = new Date(now.getTime() + KEPT_MS);
    await this.#collection.updateMany(after, { $set: { waits: false, next_at: null, tries: 0, expires_at } });
  }

  async removeOf(webhook: string): Promise<void> {
    await this.#collection.deleteMany({ webhook });
  }

  async #isThere(webhook: string): Promise<boolean> {
    return (await this.#webhooks.findOne({ _id: webhook }, { projection: { _id: 1 } })) !== null;
  }
}

/** The members of a delivery after what was done for it, as expressions over those that it has. */
function recorded(
  { _id, ...subject }: DeliverySubject,
  { asked, wasDue, next_at, ...outcome }: DeliveryOutcome,
  done: DeliveryAttempt | Date,
): Document {
  const attempts = done instanceof Date ? [] : [done];
  const now = done instanceof Date ? done : done.time;
  const expires_at = new Date(now.getTime() + (outcome.waits ? WAITING_KEPT_MS : KEPT_MS));
  const made = literal({ ...subject, id: deliveryId(_id), created_at: now });
  const isDue = { $eq: [{ $type: '$next_at' }, 'date'] };
  const isAskedAnew = wasDue !== undefined && { $and: [isDue, { $ne: ['$next_at', wasDue] }] };
  return {
    ...literal({ ...outcome, expires_at }),
    ...Object.fromEntries(Object.entries(made).map(([name, value]) => [name, { $ifNull: [`$${name}`, value] }])),
    next_at: { $cond: [isAskedAnew, '$next_at', next_at] },
    asked: { $cond: [isAskedAnew, '$asked', asked ?? '$$REMOVE'] },
    attempts: { $slice: [{ $concatArrays: [{ $ifNull: ['$attempts', []] }, { $literal: attempts }] }, -MAX_ATTEMPTS] },
  };
}
