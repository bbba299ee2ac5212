import { Departures } from './departures.ts';

/**
 * Executes identical reads that are requested in the same turn of the event loop, or while one of them is under way, across requests,
 * only once. The read starts later than that, so that it sees everything written before any of them was requested. Nothing is cached.
 */
export class CoalescedReads<T> {
  readonly #departures: Departures;
  readonly #open = new Map<string, Promise<T>>();

  constructor(departures = new Departures()) {
    this.#departures = departures;
  }

  /** `key` must differ for all reads with different results, such as those of two tenants. */
  share(key: string, read: () => Promise<T>): Promise<T> {
    const open = this.#open.get(key);
    if (open) return open;
    const shared = this.#departures.leave(key, () => {
      this.#open.delete(key);
      return read();
    });
    this.#open.set(key, shared);
    return shared;
  }
}
