import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Collection } from 'mongodb';
import type { StoredAuditEntry } from './stored-entry.ts';

/** The most lines of one insert. */
const BATCH = 500;
/** The most that wait for a database that does not answer; the request log has what is given up. */
const MOST_WAITING = 10_000;
const REMEMBERED = 10_000;
/** How long lines that come right after a write are gathered for the next one. */
const GATHERING_MS = 25;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
/** How long a stop, or a reader of the log, waits for a database that does not answer. */
const PATIENCE_MS = 3_000;

export interface NoteOptions {
  /** The same by the same principal from the same address is noted once in that many milliseconds, by each process. */
  readonly onceInMs?: number;
  /** Repeats are noted as well until so many lines of the principal were, in the same time. */
  readonly unlessAbove?: number;
}

/** Lines that are written together with others of the same moment, and that no request waits for. */
export class AuditQueue {
  readonly #collection: Collection<StoredAuditEntry>;
  readonly #recent = new LRUCache<string, true>({ max: REMEMBERED });
  /** How many lines of a principal were noted since the first of them. */
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

  /** Whether the same was noted in that time, and the principal has so many lines of that action in it already. */
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

  /** Until what waits now is written, or the database did not answer in time. */
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

  /** A batch whose first insert failed may be there in part. */
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
