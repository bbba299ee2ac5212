import { randomUUID } from 'node:crypto';
import type { Collection, Db } from 'mongodb';

/** What failed sign-ins are counted by, and how many there may be within the window. */
export interface FailureCount {
  readonly id: string;
  readonly allowed: number;
}

/** An attempt that counts as failed until it is known to be good. */
export interface CountedAttempt {
  /** For how many milliseconds attempts are refused; 0 where this one may go on. */
  readonly blockedMs: number;
  /** Takes it out of the count, because it was no failure. */
  release(): Promise<void>;
}

interface StoredFailures {
  readonly _id: string;
  /** The oldest first. */
  readonly attempts: readonly { readonly at: Date; readonly id: string }[];
  readonly expires_at: Date;
}

const WINDOW_MS = 15 * 60_000;

/** Failed sign-ins by what they were tried with, for all gateways together (contract §11). */
export class SignInFailures {
  readonly #collection: Collection<StoredFailures>;

  constructor(db: Db) {
    this.#collection = db.collection('sign_in_failures');
  }

  /** Counts an attempt before its outcome is known, so that no burst exceeds the limit; one that is refused is not counted. */
  async count(counts: readonly FailureCount[], now: Date): Promise<CountedAttempt> {
    const id = randomUUID();
    const release = () => this.#release(counts, id);
    const blocked = await Promise.all(counts.map((count) => this.#push(count, { at: now, id })));
    const blockedMs = Math.max(0, ...blocked);
    if (blockedMs > 0) await release();
    return { blockedMs, release };
  }

  /** For how long this count blocks; 0 when the attempt was added to it. */
  async #push(
    { id: _id, allowed }: FailureCount,
    attempt: { readonly at: Date; readonly id: string },
  ): Promise<number> {
    const since = new Date(attempt.at.getTime() - WINDOW_MS);
    const recent = { $filter: { input: { $ifNull: ['$attempts', []] }, cond: { $gt: ['$$this.at', since] } } };
    const added = { $concatArrays: ['$attempts', [attempt]] };
    const change = [
      { $set: { attempts: recent, expires_at: new Date(attempt.at.getTime() + WINDOW_MS) } },
      { $set: { attempts: { $cond: [{ $lt: [{ $size: '$attempts' }, allowed] }, added, '$attempts'] } } },
    ];
    const counted = await this.#collection.findOneAndUpdate({ _id }, change, { upsert: true, returnDocument: 'after' });
    const attempts = counted?.attempts ?? [];
    const [oldest = attempt] = attempts;
    return attempts.some(({ id }) => id === attempt.id) ? 0 : oldest.at.getTime() + WINDOW_MS - attempt.at.getTime();
  }

  async #release(counts: readonly FailureCount[], id: string): Promise<void> {
    const ids = counts.map((count) => count.id);
    await this.#collection.updateMany({ _id: { $in: ids } }, { $pull: { attempts: { id } } });
  }
}
