import type { Collection, Db } from 'mongodb';

/** The length of the windows in which requests are counted. */
export const WINDOW_SECONDS = 60;

const END = { $add: ['$$NOW', WINDOW_SECONDS * 1_000] };
const IS_OVER = { $lte: ['$expire', '$$NOW'] };

/** How many requests a principal was granted, and how long their minute still lasts. */
interface Grant {
  readonly granted: number;
  /** How many requests remain for others in this minute. */
  readonly left: number;
  readonly msLeft: number;
}

interface StoredCount {
  readonly key: string;
  readonly points: number;
  readonly expire: Date;
}

interface Counted {
  readonly points: number;
  readonly msLeft: number;
}

/** Counts each principal's requests across all gateways, in minutes by MongoDB's clock that start with its first request. */
export class RequestCounts {
  readonly #counts: Collection<StoredCount>;
  readonly #perMinute: number;

  constructor(db: Db, perMinute: number) {
    this.#counts = db.collection('request_counts');
    this.#perMinute = perMinute;
  }

  /** Takes up to `amount` requests from the minute's allowance: as many as remain. */
  async take(principal: string, amount: number): Promise<Grant> {
    const { points, msLeft } = await this.#add(principal, amount);
    const before = points - amount;
    const granted = Math.max(0, Math.min(amount, this.#perMinute - before));
    return { granted, left: Math.max(0, this.#perMinute - points), msLeft };
  }

  /** Caps a minute's end at one minute from now: earlier versions stored the end by their own clocks. */
  async #add(principal: string, amount: number): Promise<Counted> {
    const points = { $add: [{ $cond: [IS_OVER, 0, '$points'] }, amount] };
    const expire = { $cond: [IS_OVER, END, { $min: ['$expire', END] }] };
    const counted = await this.#counts.findOneAndUpdate({ key: principal }, [{ $set: { points, expire } }], {
      upsert: true,
      returnDocument: 'after',
      projection: { points: 1, msLeft: { $subtract: ['$expire', '$$NOW'] } },
    });
    if (!counted) throw new Error('MongoDB returned no count of requests.');
    return counted as unknown as Counted;
  }
}
