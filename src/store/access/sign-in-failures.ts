import { randomUUID } from 'node:crypto';
import type { Collection, Db } from 'mongodb';

/** The key failed sign-ins are counted under, and how many are allowed within the window. */
export interface FailureCount {
  readonly id: string;
  readonly allowed: number;
}

/** An attempt that counts as failed until its outcome is known; if its gateway dies meanwhile, only for a while. */
interface CountedAttempt {
  /** How long attempts are refused, in milliseconds; 0 if this one may proceed. */
  readonly blockedMs: number;
  /** Marks it as a failure, which keeps counting. */
  fail(): Promise<void>;
  /** Uncounts it, because it did not fail. */
  release(): Promise<void>;
}

interface StoredAttempt {
  readonly at: Date;
  readonly id: string;
  /** Until when it counts while its outcome is unknown; absent for a failure. */
  readonly open_until?: Date;
}

interface StoredFailures {
  readonly _id: string;
  /** Oldest first. */
  readonly attempts: readonly StoredAttempt[];
  readonly expires_at: Date;
}

const WINDOW_MS = 15 * 60_000;
/** Longer than a password takes to queue and be hashed. */
const OPEN_MS = 30_000;

/** The counted attempts, with the time by MongoDB's clock. */
interface Counted {
  readonly attempts: readonly StoredAttempt[];
  readonly now: Date;
}

const SINCE = { $subtract: ['$$NOW', WINDOW_MS] };
const IS_FAILED = { $eq: [{ $type: '$$this.open_until' }, 'missing'] };
const COUNTS = {
  $and: [{ $gt: ['$$this.at', SINCE] }, { $or: [IS_FAILED, { $gt: ['$$this.open_until', '$$NOW'] }] }],
};

/** Failed sign-ins per key, counted across all gateways (contract §11), by MongoDB's clock. */
export class SignInFailures {
  readonly #collection: Collection<StoredFailures>;

  constructor(db: Db) {
    this.#collection = db.collection('sign_in_failures');
  }

  /** Counts an attempt before its outcome is known, so that no burst exceeds the limit; refused attempts are not counted. */
  async count(counts: readonly FailureCount[]): Promise<CountedAttempt> {
    const id = randomUUID();
    const fail = () => this.#fail(counts, id);
    const release = () => this.#release(counts, id);
    const blocked = await Promise.all(counts.map((count) => this.#push(count, id)));
    const blockedMs = Math.max(0, ...blocked);
    if (blockedMs > 0) await release();
    return { blockedMs, fail, release };
  }

  /** How long this count blocks; 0 if the attempt was added to it. */
  async #push({ id: _id, allowed }: FailureCount, id: string): Promise<number> {
    const recent = { $filter: { input: { $ifNull: ['$attempts', []] }, cond: COUNTS } };
    const attempt = { at: '$$NOW', id, open_until: { $add: ['$$NOW', OPEN_MS] } };
    const added = { $concatArrays: ['$attempts', [attempt]] };
    const change = [
      { $set: { attempts: recent, expires_at: { $add: ['$$NOW', WINDOW_MS] } } },
      { $set: { attempts: { $cond: [{ $lt: [{ $size: '$attempts' }, allowed] }, added, '$attempts'] } } },
    ];
    const options = { upsert: true, returnDocument: 'after', projection: { attempts: 1, now: '$$NOW' } } as const;
    const counted = await this.#collection.findOneAndUpdate({ _id }, change, options);
    const { attempts, now } = counted as unknown as Counted;
    if (attempts.some((each) => each.id === id)) return 0;
    const ends = attempts.map(({ at, open_until }) => open_until?.getTime() ?? at.getTime() + WINDOW_MS);
    return Math.max(1, Math.min(...ends) - now.getTime());
  }

  async #fail(counts: readonly FailureCount[], id: string): Promise<void> {
    const ids = counts.map((count) => count.id);
    const arrayFilters = [{ 'attempt.id': id }];
    await this.#collection.updateMany(
      { _id: { $in: ids } },
      { $unset: { 'attempts.$[attempt].open_until': '' } },
      { arrayFilters },
    );
  }

  async #release(counts: readonly FailureCount[], id: string): Promise<void> {
    const ids = counts.map((count) => count.id);
    await this.#collection.updateMany({ _id: { $in: ids } }, { $pull: { attempts: { id } } });
  }
}
