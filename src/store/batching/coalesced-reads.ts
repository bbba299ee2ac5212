import { Departures } from './departures.ts';

/**
 * Runs identical reads only once if they are requested, across requests, in the same turn of the event loop or while one of them
 * is in flight. The read starts after that, so it sees everything written before any of the requests. Nothing is cached.
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
