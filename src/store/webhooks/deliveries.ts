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

const DAY_MS = 24 * 3_600_000;
const KEPT_MS = 30 * DAY_MS;
/** A delivery that holds up its document is kept longer than any event, so that nothing queued behind it is forgotten. */
const WAITING_KEPT_MS = 400 * DAY_MS;
/** The most deliveries of a deleted webhook removed by one command: some hundred milliseconds' work. */
const REMOVED_AT_ONCE = 1_000;
/** How long one sweep removes them. */
const SWEEP_MS = 5_000;
/** The most attempts listed for a delivery. */
const MAX_ATTEMPTS = 50;

/** The subject of a delivery. */
export type DeliverySubject = Pick<StoredDelivery, '_id' | 'webhook' | 'event' | 'type' | 'document'>;

/** What is needed of a delivery that holds up its document. */
export type WaitingDelivery = Pick<StoredDelivery, '_id' | 'document' | 'event' | 'next_at' | 'waits'>;

/** The outcome of an attempt. */
interface DeliveryOutcome {
  readonly status: DeliveryStatus;
  readonly tries: number;
  readonly next_at: Date | null;
  readonly waits: boolean;
  /** Somebody asked for it; if absent, nobody does any more. */
  readonly asked?: true;
  /** The webhook's generation in which the recording gateway delivers. */
  readonly fence?: number;
  /**
   * When it was due as the failed attempt began. If the due time has changed since, somebody asked for that, and it is kept.
   */
  readonly wasDue?: Date | null;
}

/** A page of deliveries. */
interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  readonly limit: number;
  /** Only deliveries created before this one. */
  readonly before?: StoredDelivery | undefined;
}

/** The messages to webhooks and the attempts to deliver them. */
export class DeliveryStore {
  readonly #collection: Collection<StoredDelivery>;
  readonly #webhooks: Collection<StoredWebhook>;

  constructor(db: Db) {
    this.#collection = db.collection('webhook_deliveries');
    this.#webhooks = db.collection('webhooks');
  }

  /**
   * Records the outcome of an attempt, or that a delivery is due, and creates the delivery if it is new. Returns false and
   * records nothing if a gateway of a later generation has recorded it, or the webhook was deleted.
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
      await this.removeOf(subject.webhook); // the webhook was deleted with its deliveries before this one was created
      return false;
    } catch (error) {
      if (fence === undefined || duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }

  async byId(webhook: string, id: string): Promise<StoredDelivery | undefined> {
    return (await this.#collection.findOne({ webhook, id })) ?? undefined;
  }

  /** The delivery, once it is committed by the majority. */
  async confirm(delivery: StoredDelivery): Promise<StoredDelivery> {
    const { _id } = delivery;
    await this.#collection.updateOne({ _id }, { $set: { _id } });
    return delivery;
  }

  /** How many deliveries a webhook has, optionally with a given status. */
  count(webhook: string, status: DeliveryStatus | undefined, time: TimeLimit): Promise<number> {
    return this.#collection.countDocuments({ webhook, ...(status && { status }) }, time);
  }

  /** The deliveries of a webhook, newest first. */
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

  /** Which of the webhooks have deliveries that are due. */
  withDue(webhooks: readonly string[], now: Date): Promise<string[]> {
    return this.#collection.distinct('webhook', { webhook: { $in: [...webhooks] }, next_at: { $lte: now } });
  }

  /** The due deliveries, earliest first. */
  due(webhook: string, now: Date, limit: number): Promise<StoredDelivery[]> {
    return this.#collection
      .find({ webhook, next_at: { $lte: now } })
      .sort({ next_at: 1 })
      .limit(limit)
      .toArray();
  }

  /** Due deliveries that somebody asked for, earliest first. */
  asked(webhook: string, now: Date, limit: number): Promise<StoredDelivery[]> {
    return this.#collection
      .find({ webhook, asked: true, next_at: { $lte: now } })
      .sort({ next_at: 1 })
      .limit(limit)
      .toArray();
  }

  /**
   * The deliveries that hold up later events of their document. From now on they belong to this generation: gateways of earlier
   * generations can no longer change them.
   */
  async takeWaiting(webhook: string, fence: number): Promise<WaitingDelivery[]> {
    const earlier = { webhook, waits: true, fence: { $not: { $gte: fence } } };
    await this.#collection.updateMany(earlier, { $set: { fence } });
    const projection = { document: 1, event: 1, next_at: 1, waits: 1 } as const;
    return this.#collection.find<WaitingDelivery>({ webhook, waits: true, fence }, { projection }).toArray();
  }

  /** The backlog of these webhooks: how many deliveries wait for another attempt, and when the oldest was created. */
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

  /** The delivery, as long as it holds up later events of its document. */
  async waiting({ _id }: Pick<StoredDelivery, '_id'>): Promise<StoredDelivery | undefined> {
    return (await this.#collection.findOne({ _id, waits: true })) ?? undefined;
  }

  /** Marks a delivery as no longer holding anything up. */
  async settle({ _id }: StoredDelivery, fence: number, now: Date): Promise<void> {
    const change = { waits: false, expires_at: new Date(now.getTime() + KEPT_MS) };
    await this.#collection.updateOne({ _id, fence: { $not: { $gt: fence } } }, { $set: change });
  }

  /** Makes a delivery due now; undefined if there is none with that id. */
  async retryNow(webhook: string, id: string, now: Date): Promise<StoredDelivery | undefined> {
    const options = { returnDocument: 'after' } as const;
    const change = { $set: { next_at: now, asked: true } } as const;
    return (await this.#collection.findOneAndUpdate({ webhook, id }, change, options)) ?? undefined;
  }

  /** Makes every waiting delivery due from a time on, as before its first attempt. If interrupted, a repeat does the rest. */
  async retryWaiting(webhook: string, at: Date): Promise<void> {
    const others = { $or: [{ next_at: { $ne: at } }, { tries: { $ne: 0 } }] };
    await this.#collection.updateMany({ webhook, waits: true, ...others }, { $set: { next_at: at, tries: 0 } });
  }

  /** Stops events after a place from holding up others, since all of them are replayed. */
  async forgetAfter(webhook: string, place: number, now: Date): Promise<void> {
    const after = { webhook, waits: true, event: { $gt: place } };
    const expires_at = new Date(now.getTime() + KEPT_MS);
    await this.#collection.updateMany(after, { $set: { waits: false, next_at: null, tries: 0, expires_at } });
  }

  /** Removes deliveries of a deleted webhook, a limited number at once, and returns how many; the sweep removes any others. */
  async removeOf(webhook: string): Promise<number> {
    const some = this.#collection.find({ webhook }, { projection: { _id: 1 } }).limit(REMOVED_AT_ONCE);
    const _id = { $in: (await some.toArray()).map((found) => found._id) };
    return _id.$in.length === 0 ? 0 : (await this.#collection.deleteMany({ _id })).deletedCount;
  }

  /** Removes the deliveries of all deleted webhooks, for some seconds; those then left are for the next sweep. */
  async removeOfDeleted(): Promise<void> {
    const until = performance.now() + SWEEP_MS;
    const named = await this.#collection.distinct('webhook');
    const kept = new Set(await this.#webhooks.distinct('_id', { _id: { $in: named } }));
    for (const webhook of named.filter((one) => !kept.has(one))) {
      while (performance.now() < until && (await this.removeOf(webhook)) > 0);
    }
  }

  async #isThere(webhook: string): Promise<boolean> {
    return (await this.#webhooks.findOne({ _id: webhook }, { projection: { _id: 1 } })) !== null;
  }
}

/** The members of a delivery after an outcome, as expressions over its present members. */
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
