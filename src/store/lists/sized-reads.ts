import { LRUCache } from 'lru-cache';
import { timedOut } from '../../errors.ts';
import { timeLeft } from '../connection/long-reads.ts';
import type { TimeLimit } from '../entities/query.ts';
import type { Rows } from '../entities/row-reader.ts';

/** The most bytes of replies, in total, to one tenant's reads in flight. */
const UNDER_WAY_BYTES = 64 * 1024 * 1024;
/** The assumed size of a reply before there was one, which limits how many reads are in flight at first. */
const UNKNOWN_BYTES = UNDER_WAY_BYTES / 8;
/** How many tenants' reply sizes are remembered. */
const TENANTS = 10_000;

/** The reads of one tenant. */
class Reads {
  #underWay = 0;
  #replyBytes = UNKNOWN_BYTES;
  readonly #waiting = new Set<() => void>();

  /** Whether there is room for another read; there is always room for one. */
  get hasRoom(): boolean {
    return this.#underWay === 0 || (this.#underWay + 1) * this.#replyBytes <= UNDER_WAY_BYTES;
  }

  begin(): void {
    this.#underWay += 1;
  }

  /** Waits for room, then begins; throws TIMED_OUT if there is none in time. */
  wait({ maxTimeMS }: TimeLimit): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.delete(begin);
        reject(timedOut());
      };
      const timer = maxTimeMS === undefined ? undefined : setTimeout(giveUp, maxTimeMS);
      const begin = (): void => {
        clearTimeout(timer);
        this.begin();
        resolve();
      };
      this.#waiting.add(begin);
    });
  }

  /** Smaller replies lower the estimate gradually; larger ones raise it at once. */
  learn({ nodes }: Rows): void {
    let bytes = 0;
    for (const { byteLength } of nodes) bytes += byteLength;
    this.#replyBytes = Math.max(bytes, this.#replyBytes / 2);
  }

  end(): void {
    this.#underWay -= 1;
    for (const begin of this.#waiting) {
      if (!this.hasRoom) return;
      this.#waiting.delete(begin);
      begin();
    }
  }
}

/**
 * Limits each tenant's concurrent list reads by the size of their replies. MongoDB reveals the size of a reply only with the
 * reply itself, so it is estimated from earlier ones. A gateway that receives hundreds of megabytes at once answers nobody else.
 */
export class SizedReads {
  readonly #byTenant = new LRUCache<string, Reads>({ max: TENANTS });

  /** Runs a read when there is room, with the time left by then; throws TIMED_OUT if there is none. */
  async run<W extends TimeLimit>(tenant: string, window: W, read: (left: W) => Promise<Rows>): Promise<Rows> {
    const reads = this.#readsOf(tenant);
    let left: (() => TimeLimit) | undefined;
    if (reads.hasRoom) reads.begin();
    else {
      left = timeLeft(window);
      await reads.wait(window);
    }
    try {
      const rows = await read(left ? { ...window, ...left() } : window);
      reads.learn(rows);
      return rows;
    } finally {
      reads.end();
    }
  }

  #readsOf(tenant: string): Reads {
    const known = this.#byTenant.get(tenant);
    if (known) return known;
    const reads = new Reads();
    this.#byTenant.set(tenant, reads);
    return reads;
  }
}
