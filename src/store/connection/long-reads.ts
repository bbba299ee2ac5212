import type { Db, MongoClient } from 'mongodb';
import { timedOut } from '../../errors.ts';
import { Slots } from '../batching/slots.ts';
import type { TimeLimit } from '../entities/query.ts';

/** The most MongoDB connections used by long reads; no tenant has more than half of them, or than it leaves free. */
const AT_ONCE = 24;

const NEVER = new AbortController().signal;

/**
 * Reads that may be slow for lack of an index: limited so that connections remain for reads by id, for writes, and for other
 * tenants. A read run inside another must not be one of these too: it would wait for the slot the outer one holds.
 */
export class LongReads {
  readonly #slots = new Slots(AT_ONCE);

  /** Runs a tenant's read in its turn, with the time then remaining; TIMED_OUT if there is none. */
  run<T, W extends TimeLimit>(tenant: string, window: W, read: (window: W) => Promise<T>): Promise<T> {
    return this.#slots.hasRoomFor(tenant)
      ? this.#slots.run(NEVER, tenant, () => read(window))
      : this.#runLater(tenant, window, read);
  }

  async #runLater<T, W extends TimeLimit>(tenant: string, window: W, read: (window: W) => Promise<T>): Promise<T> {
    const { maxTimeMS } = window;
    if (maxTimeMS === undefined) return this.#slots.run(NEVER, tenant, () => read(window));
    const left = timeLeft(window);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), maxTimeMS);
    return this.#slots.run(late.signal, tenant, () => {
      clearTimeout(timer);
      if (late.signal.aborted) throw timedOut();
      return read({ ...window, ...left() });
    });
  }
}

/** A function that returns the rest of a time limit starting now; TIMED_OUT if none is left. */
export function timeLeft({ maxTimeMS }: TimeLimit): () => TimeLimit {
  if (maxTimeMS === undefined) return () => ({});
  const deadline = performance.now() + maxTimeMS;
  return () => {
    const left = Math.ceil(deadline - performance.now());
    if (left <= 0) throw timedOut();
    return { maxTimeMS: left };
  };
}

const ofClients = new WeakMap<MongoClient, LongReads>();

/** The long reads of a database's client. */
export function longReadsOf({ client }: Db): LongReads {
  const known = ofClients.get(client) ?? new LongReads();
  ofClients.set(client, known);
  return known;
}
