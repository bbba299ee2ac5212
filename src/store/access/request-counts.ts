import type { Db } from 'mongodb';
import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';

/** The length of the windows in which requests are counted. */
export const WINDOW_SECONDS = 60;

/** How many requests a principal was granted, and how long the minute lasts that they belong to. */
export interface Grant {
  readonly granted: number;
  /** What is left of the minute for others to take. */
  readonly left: number;
  readonly msLeft: number;
}

/** Counts the requests of each principal for all gateways together, in minutes that begin with its first request. */
export class RequestCounts {
  readonly #limiter: RateLimiterMongo;
  readonly #perMinute: number;

  constructor(db: Db, perMinute: number) {
    this.#perMinute = perMinute;
    this.#limiter = new RateLimiterMongo({
      storeClient: db,
      tableName: 'request_counts',
      disableIndexesCreation: true,
      keyPrefix: '',
      points: perMinute,
      duration: WINDOW_SECONDS,
    });
  }

  /** Takes up to so many requests out of the minute: as many as there are left. */
  async take(principal: string, amount: number): Promise<Grant> {
    const { consumedPoints, msBeforeNext } = await this.#limiter.consume(principal, amount).catch(refusal);
    const before = consumedPoints - amount;
    const granted = Math.max(0, Math.min(amount, this.#perMinute - before));
    return { granted, left: Math.max(0, this.#perMinute - consumedPoints), msLeft: msBeforeNext };
  }
}

/** What the limiter throws when it has counted too many is a count like any other. */
function refusal(error: unknown): RateLimiterRes {
  if (error instanceof RateLimiterRes) return error;
  throw error;
}
