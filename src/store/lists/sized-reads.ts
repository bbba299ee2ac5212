import { LRUCache } from 'lru-cache';
import { timedOut } from '../../errors.ts';
import { timeLeft } from '../connection/long-reads.ts';
import type { TimeLimit } from '../entities/query.ts';
import type { Rows } from '../entities/row-reader.ts';

/** What the replies to all reads of one tenant that are under way may have together, in bytes. */
const UNDER_WAY_BYTES = 64 * 1024 * 1024;
/** What a reply is taken to have while there was none yet: so many are under way at first. */
const UNKNOWN_BYTES = UNDER_WAY_BYTES / 8;
/** How many tenants are remembered with the size of their replies. */
const TENANTS = 10_000;

/** The reads of one tenant. */
class Reads {
  #underWay = 0;
  #replyBytes = UNKNOWN_BYTES;
  readonly #waiting = new Set<() => void>();

  /** Whether there is room for a further one; there is always room for one. */
  get hasRoom(): boolean {
    return this.#underWay === 0 || (this.#underWay + 1) * this.#replyBytes <= UNDER_WAY_BYTES;
  }

  begin(): void {
    this.#underWay += 1;
  }

  /** Waits until there is room, and begins; TIMED_OUT if there is none in time. */
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

  /** Smaller replies are believed bit by bit, larger ones at once. */
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
 * Lets lists be read as many at a time as their replies are small, for each tenant: how large a reply is, MongoDB tells with it alone,
 * so it is judged by those before. A gateway that receives hundreds of megabytes at once answers nobody else.
 */
export class SizedReads {
  readonly #byTenant = new LRUCache<string, Reads>({ max: TENANTS });

  /** Runs a read in its turn, with the time that is left by then; TIMED_OUT if there is none. */
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
