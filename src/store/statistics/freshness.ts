import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection, Db } from 'mongodb';
import { CoalescedReads } from '../batching/coalesced-reads.ts';
import { STATISTICS_PLACE, type StoredPlace } from './place.ts';

/** The lease of the one process that keeps statistics. */
export const STATISTICS_LEASE = 'statistics lease';
/** The document whose changes pass the keeper in the same order as everything else. */
export const MARK = 'statistics mark';

interface StoredMark {
  readonly _id: string;
  readonly n: number;
}

/** The mark that was set last: one that the keeper has not passed is waited for. */
export async function newestMark(db: Db): Promise<number> {
  return (await db.collection<StoredMark>('leases').findOne({ _id: MARK }, { projection: { n: 1 } }))?.n ?? 0;
}

/** How long a reader waits for what was written before it asked. */
const LONGEST_WAIT_MS = 2_000;
const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 50;

/** The documents by which readers wait for what a process keeps: a mark that passes it, and its place. */
export interface KeeperNames {
  readonly mark: string;
  readonly place: string;
}

/** How fresh something is that one process keeps, such as statistics, and the waiting for what has just been written. */
export class StatisticsFreshness {
  readonly #names: KeeperNames;
  readonly #marks: Collection<StoredMark>;
  readonly #places: Collection<StoredPlace>;
  readonly #asked = new CoalescedReads<Date | undefined>();

  constructor(db: Db, names: KeeperNames = { mark: MARK, place: STATISTICS_PLACE }) {
    this.#names = names;
    this.#marks = db.collection('leases');
    this.#places = db.collection('leases', { readConcern: { level: 'majority' } });
  }

  /**
   * Waits up to 2 s until everything is in that had been acknowledged before the call, and returns the time up to which
   * everything is; undefined while statistics are counted for the first time.
   */
  asOf(): Promise<Date | undefined> {
    return this.#asked.share('', () => this.#wait(LONGEST_WAIT_MS));
  }

  /** Waits as long as it takes until everything is in that had been acknowledged before the call. */
  passed(): Promise<Date | undefined> {
    return this.#wait(Number.POSITIVE_INFINITY);
  }

  async #wait(longestMs: number): Promise<Date | undefined> {
    const until = performance.now() + longestMs;
    const options = { upsert: true, returnDocument: 'after', writeConcern: { w: 1 } } as const;
    const mark = await this.#marks.findOneAndUpdate({ _id: this.#names.mark }, { $inc: { n: 1 } }, options);
    const wanted = mark?.n ?? 0;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
      await sleep(pause);
      const kept = await this.#places.findOne({ _id: this.#names.place }, { projection: { at: 1, mark: 1 } });
      const isPassed = (kept?.mark ?? 0) >= wanted && kept?.at !== undefined;
      if (isPassed || performance.now() > until) return kept?.at;
    }
  }
}
