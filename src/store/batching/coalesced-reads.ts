/**
 * Executes identical reads that are requested in the same turn of the event loop, across requests, only once. The read
 * starts when the turn ends, so that it sees everything written before any of them was requested. Nothing is cached.
 */
export class CoalescedReads<T> {
  readonly #open = new Map<string, Promise<T>>();

  /** `key` must differ for all reads with different results, such as those of two tenants. */
  share(key: string, read: () => Promise<T>): Promise<T> {
    const open = this.#open.get(key);
    if (open) return open;
    const shared = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#open.delete(key);
      return read();
    });
    this.#open.set(key, shared);
    return shared;
  }
}
