import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binary, Collection, Db, ResumeToken, Timestamp } from 'mongodb';
import { duplicateKeyIndex } from '../duplicate-key.ts';

/** A lease and the progress of its holder's work. */
export interface StoredLease extends Progress {
  readonly _id: string;
  readonly holder: string;
  readonly until: Date;
}

/** The progress of work that only one process does at a time. */
export interface Progress {
  readonly token?: ResumeToken;
  readonly from?: Timestamp;
  /** The sequence of the last event, which may have expired since. */
  readonly last?: number;
  /** The last reader's mark that was passed, and the time up to which everything is included. */
  readonly mark?: number;
  readonly at?: Date;
  /** The documents come from a backup, so MongoDB's log is a different one. */
  readonly restored?: boolean;
  /** The session of the holder's transactions, which stay open when the holder dies. */
  readonly session?: Binary;
}

const LEASE_MS = 9_000;
const A_TERM_FROM_NOW = { $add: ['$$NOW', LEASE_MS] };
/** How long releasing a lease may be held up by a database that does not answer. */
const RELEASE_MS = 2_000;
/** How long a shutdown waits for work under a lease to end; the next holder repeats whatever is unfinished. */
export const END_MS = 6_000;

/** A right that one process across all gateways has at a time. It expires unless its holder renews it. Times are by MongoDB's clock. */
export class Lease {
  readonly #collection: Collection<StoredLease>;
  readonly #name: string;
  readonly #holder = randomUUID();

  constructor(db: Db, name: string) {
    this.#collection = db.collection('leases');
    this.#name = name;
  }

  /** The lease, if this process was the last to acquire it. */
  get #own() {
    return { _id: this.#name, holder: this.#holder };
  }

  /** Acquires the lease, or renews it; undefined while another process has it. A holder at work renews it with `renew`. */
  async take(): Promise<Progress | undefined> {
    const isFree = { $or: [{ $eq: ['$holder', this.#holder] }, { $lt: ['$until', '$$NOW'] }] };
    const term = {
      holder: { $cond: [isFree, this.#holder, '$holder'] },
      until: { $cond: [isFree, A_TERM_FROM_NOW, '$until'] },
    };
    try {
      const options = { upsert: true, returnDocument: 'after' } as const;
      const lease = await this.#collection.findOneAndUpdate({ _id: this.#name }, [{ $set: term }], options);
      return lease?.holder === this.#holder ? lease : undefined;
    } catch (error) {
      if (duplicateKeyIndex(error) !== undefined) return undefined; // another process created it at the same moment
      throw error;
    }
  }

  /** Renews the lease, even an expired one; false once another process has acquired it, even if that has released it since. */
  async renew(): Promise<boolean> {
    return (await this.#collection.updateOne(this.#own, [{ $set: { until: A_TERM_FROM_NOW } }])).matchedCount === 1;
  }

  /**
   * Saves the progress of the work; false when the lease was lost. Repeatable work does not wait for majority acknowledgement:
   * forcing a disk flush for it would hold up requests, too.
   */
  async keep(progress: Progress, { isRepeatable = false } = {}): Promise<boolean> {
    const options = isRepeatable ? ({ writeConcern: { w: 1, journal: false } } as const) : {};
    return (await this.#collection.updateOne(this.#own, { $set: progress }, options)).matchedCount === 1;
  }

  /**
   * Lets another process acquire the lease at once; if the database does not answer, it expires by itself. Its session is
   * forgotten: later users of that session must not be ended along with the transactions of a dead holder.
   */
  async release(): Promise<void> {
    await givenUp(this.#collection.updateOne(this.#own, { $set: { until: new Date(0) }, $unset: { session: 1 } }));
  }
}

/** Waits briefly until a lease is released or the work under it has ended; the lease expires by itself anyway. Never rejects. */
export async function givenUp(release: Promise<unknown>, waitMs = RELEASE_MS): Promise<void> {
  const settled = release.catch(() => undefined);
  await Promise.race([settled, sleep(waitMs, undefined, { ref: false })]);
}
