import type { Db, MongoClient } from 'mongodb';
import { timedOut } from '../../errors.ts';
import { Slots } from '../batching/slots.ts';
import type { TimeLimit } from '../entities/query.ts';

/** How many of the connections to MongoDB long reads have at most, and those of one tenant. */
const AT_ONCE = 24;
const OF_ONE_TENANT = 12;

const NEVER = new AbortController().signal;

/**
 * Reads that take long where no index has what they look for: so few at a time that connections are left for reads by id, for writes,
 * and for other tenants. A read that is run by another must not be one of these as well: it would wait for a place that the other holds.
 */
export class LongReads {
  readonly #slots = new Slots(AT_ONCE, OF_ONE_TENANT);

  /** Runs a read of a tenant in its turn, with the time that is left by then; TIMED_OUT if there is none. */
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

/** What is left of a time limit that begins now, whenever it is asked; TIMED_OUT if nothing is. */
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

/** The long reads through the connections of a database's client. */
export function longReadsOf({ client }: Db): LongReads {
  const known = ofClients.get(client) ?? new LongReads();
  ofClients.set(client, known);
  return known;
}
