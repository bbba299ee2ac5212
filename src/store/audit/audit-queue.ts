import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Collection } from 'mongodb';
import type { StoredAuditEntry } from './stored-entry.ts';

/** The most lines of one insert. */
const BATCH = 500;
/** The most lines queued while the database does not respond; dropped lines are still in the request log. */
const MOST_WAITING = 10_000;
const REMEMBERED = 10_000;
/** How long lines arriving right after a write are gathered for the next one. */
const GATHERING_MS = 25;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
/** How long a shutdown, or a reader of the log, waits for a database that does not respond. */
const PATIENCE_MS = 3_000;

export interface NoteOptions {
  /** Identical lines of the same principal and address are noted once per this many milliseconds, in each process. */
  readonly onceInMs?: number;
  /** Repeats are noted too until the principal has this many lines within that time. */
  readonly unlessAbove?: number;
}

/** Lines written in batches, which no request waits for. */
export class AuditQueue {
  readonly #collection: Collection<StoredAuditEntry>;
  readonly #recent = new LRUCache<string, true>({ max: REMEMBERED });
  /** How many lines of each principal were noted since its first. */
  readonly #counts = new LRUCache<string, { lines: number }>({ max: REMEMBERED });
  #waiting: StoredAuditEntry[] = [];
  #running: Promise<void> | undefined;

  constructor(collection: Collection<StoredAuditEntry>) {
    this.#collection = collection;
  }

  note(entry: StoredAuditEntry, { onceInMs, unlessAbove = 0 }: NoteOptions): void {
    if (onceInMs !== undefined && this.#isThinned(entry, onceInMs, unlessAbove)) return;
    if (this.#waiting.length >= MOST_WAITING) return;
    this.#waiting.push(entry);
    this.#running ??= this.#run();
  }

  /** Whether an identical line was noted within that time and the principal already has that many lines of the action in it. */
  #isThinned(entry: StoredAuditEntry, ttl: number, allowed: number): boolean {
    const key = keyOf(entry);
    const isRepeat = this.#recent.has(key);
    const counted = callerOf(entry);
    const count = this.#counts.get(counted) ?? { lines: 0 };
    if (isRepeat && count.lines >= allowed) return true;
    if (!isRepeat) this.#recent.set(key, true, { ttl });
    if (count.lines === 0) this.#counts.set(counted, count, { ttl });
    count.lines += 1;
    return false;
  }

  /** Resolves once the current queue is written, or the database did not respond in time. */
  async flush(): Promise<void> {
    if (!this.#running) return;
    const late = new AbortController();
    const patience = sleep(PATIENCE_MS, undefined, { signal: late.signal }).catch(() => undefined);
    await Promise.race([this.#running, patience]);
    late.abort();
  }

  async #run(): Promise<void> {
    await turn();
    for (let pause = 0; this.#waiting.length > 0; ) {
      const batch = this.#waiting.slice(0, BATCH);
      try {
        await this.#write(batch, pause > 0);
        this.#waiting.splice(0, batch.length);
        pause = 0;
        await sleep(GATHERING_MS, undefined, { ref: false });
      } catch {
        pause = Math.min(Math.max(FIRST_PAUSE_MS, pause * 2), LONGEST_PAUSE_MS);
        await sleep(pause, undefined, { ref: false });
      }
    }
    this.#running = undefined;
  }

  /** A batch whose first insert failed may be partly written. */
  async #write(batch: readonly StoredAuditEntry[], isRepeated: boolean): Promise<void> {
    if (!isRepeated) {
      await this.#collection.insertMany(batch as StoredAuditEntry[], { ordered: false });
      return;
    }
    const upserts = batch.map(({ _id, ...entry }) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: entry }, upsert: true },
    }));
    await this.#collection.bulkWrite(upserts, { ordered: false });
  }
}

const callerOf = ({ tenant, action, principal }: StoredAuditEntry): string =>
  JSON.stringify([tenant, action, principal?.id]);

const keyOf = ({ tenant, action, principal, address, operation, entity, outcome }: StoredAuditEntry): string =>
  JSON.stringify([tenant, action, principal?.id, address, operation, entity, outcome]);
