import { LRUCache } from 'lru-cache';
import { rateLimited } from '../errors.ts';
import type { Standing } from '../http/rate-limit-headers.ts';
import type { RequestCounts } from '../store/access/request-counts.ts';

/** Requests that this process may admit without querying the database. */
interface Share {
  left: number;
  /** How much of the limit was unreserved when this share was taken. */
  readonly others: number;
  /** The limit is exhausted until the end of the minute. */
  readonly isLast: boolean;
  /** The end of the minute (by performance.now()). */
  readonly until: number;
}

const REMEMBERED = 10_000;
/** A share is at least 1/SHARES of the limit. */
const SHARES = 100;
/** It is 1/SHARES_OF_REST of the remainder, if that is more: a command for each hundredth costs 3 % of a read. */
const SHARES_OF_REST = 24;

/** Called with the remaining quota of a principal. */
type Tell = (standing: Standing) => void;

/**
 * Limits the requests of a principal per minute, across all processes and gateways. A process reserves shares of the
 * common count, and a new one only when the last is used up: first a hundredth of the limit, since most principals need
 * no more, then a fraction of the remainder.
 */
export class RateLimit {
  readonly #counts: Pick<RequestCounts, 'take'>;
  readonly #perMinute: number;
  readonly #shares = new LRUCache<string, Share>({ max: REMEMBERED });
  readonly #asking = new Map<string, Promise<void>>();

  constructor(counts: Pick<RequestCounts, 'take'>, perMinute: number) {
    this.#counts = counts;
    this.#perMinute = perMinute;
  }

  /** Counts a request and reports what remains; throws RATE_LIMITED if the principal has used up its limit for this minute. */
  count(principal: string, tell: Tell = () => undefined): undefined | Promise<void> {
    return this.#spend(principal, tell) ? undefined : this.#wait(principal, tell);
  }

  /** Returns false if the share is used up. */
  #spend(principal: string, tell: Tell): boolean {
    const share = this.#shares.get(principal);
    const ms = share === undefined ? 0 : share.until - performance.now();
    if (share === undefined || ms <= 0) return false;
    if (share.left > 0) {
      share.left -= 1;
      tell({ left: share.left + share.others, ms });
      return true;
    }
    if (!share.isLast) return false;
    tell({ left: 0, ms });
    throw this.#refusal(ms);
  }

  async #wait(principal: string, tell: Tell): Promise<void> {
    do {
      const asking = this.#asking.get(principal) ?? this.#ask(principal);
      this.#asking.set(principal, asking);
      await asking;
    } while (!this.#spend(principal, tell));
  }

  async #ask(principal: string): Promise<void> {
    try {
      const amount = this.#nextShare(principal);
      const { granted, left, msLeft } = await this.#counts.take(principal, amount);
      const isLast = granted < amount;
      this.#shares.set(principal, { left: granted, others: left, isLast, until: performance.now() + msLeft });
    } finally {
      this.#asking.delete(principal);
    }
  }

  #nextShare(principal: string): number {
    const last = this.#shares.get(principal);
    const left = last && performance.now() < last.until ? last.others : 0;
    return Math.max(Math.ceil(this.#perMinute / SHARES), Math.floor(left / SHARES_OF_REST));
  }

  #refusal(ms: number) {
    return rateLimited(`More than ${this.#perMinute} requests in a minute`, ms);
  }
}
