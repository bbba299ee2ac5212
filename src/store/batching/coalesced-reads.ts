/**
 * Reads that are the same and asked for in the same turn of the event loop, by whatever requests, are made once. The
 * read begins when the turn ends, so that it sees all that was written before any of them was asked. Nothing is kept.
 */
export class CoalescedReads<T> {
  readonly #open = new Map<string, Promise<T>>();

  /** `key` tells apart all reads that may differ, such as those of two tenants. */
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
