import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binary, Collection, Db, ResumeToken, Timestamp } from 'mongodb';
import { duplicateKeyIndex } from '../duplicate-key.ts';

/** A lease, and where its holder's work has come to. */
export interface StoredLease extends Progress {
  readonly _id: string;
  readonly holder: string;
  readonly until: Date;
}

/** Where work that one process does at a time has come to. */
export interface Progress {
  readonly token?: ResumeToken;
  readonly from?: Timestamp;
  /** The sequence of the last event, which may have expired since. */
  readonly last?: number;
  /** The last mark of a reader that was passed, and up to when everything is in. */
  readonly mark?: number;
  readonly at?: Date;
  /** The documents are those of a backup, and MongoDB's log is another one. */
  readonly restored?: boolean;
  /** The session that its holder's transactions are in: they stay open when it dies. */
  readonly session?: Binary;
}

const LEASE_MS = 9_000;
/** How long a database that does not answer keeps whoever gives a lease up. */
const RELEASE_MS = 2_000;
/** How long a stop waits for work under a lease to end: what the next holder does again need not be finished. */
export const END_MS = 6_000;

/** A right that one process of all gateways has at a time; it runs out when its holder does not renew it. By MongoDB's clock. */
export class Lease {
  readonly #collection: Collection<StoredLease>;
  readonly #name: string;
  readonly #holder = randomUUID();

  constructor(db: Db, name: string) {
    this.#collection = db.collection('leases');
    this.#name = name;
  }

  /** Takes or renews it; undefined while another process has it. */
  async take(): Promise<Progress | undefined> {
    const isFree = { $or: [{ $eq: ['$holder', this.#holder] }, { $lt: ['$until', '$$NOW'] }] };
    const term = {
      holder: { $cond: [isFree, this.#holder, '$holder'] },
      until: { $cond: [isFree, { $add: ['$$NOW', LEASE_MS] }, '$until'] },
    };
    try {
      const options = { upsert: true, returnDocument: 'after' } as const;
      const lease = await this.#collection.findOneAndUpdate({ _id: this.#name }, [{ $set: term }], options);
      return lease?.holder === this.#holder ? lease : undefined;
    } catch (error) {
      if (duplicateKeyIndex(error) !== undefined) return undefined; // another process made it at the same moment
      throw error;
    }
  }

  /**
   * Keeps where the work has come to; false when the lease was lost. Work that changes nothing when it is done again is not
   * waited for until the majority knows of it: a disk that is told to write for it keeps requests waiting, too.
   */
  async keep(progress: Progress, { isRepeatable = false } = {}): Promise<boolean> {
    const own = { _id: this.#name, holder: this.#holder };
    const options = isRepeatable ? ({ writeConcern: { w: 1, journal: false } } as const) : {};
    return (await this.#collection.updateOne(own, { $set: progress }, options)).matchedCount === 1;
  }

  /**
   * Lets another process take it at once; where the database does not answer, it runs out by itself. Its session is forgotten:
   * whatever uses that next must not be ended with the transactions of a holder that died.
   */
  async release(): Promise<void> {
    const own = { _id: this.#name, holder: this.#holder };
    await givenUp(this.#collection.updateOne(own, { $set: { until: new Date(0) }, $unset: { session: 1 } }));
  }
}

/** Waits until a lease was given up, or work under it has ended, but not for long: it runs out by itself. Never rejects. */
export async function givenUp(release: Promise<unknown>, waitMs = RELEASE_MS): Promise<void> {
  const settled = release.catch(() => undefined);
  await Promise.race([settled, sleep(waitMs, undefined, { ref: false })]);
}
