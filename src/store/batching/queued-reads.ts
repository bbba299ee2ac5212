/**
 * Runs identical reads one at a time: those requested while one is running share the next, which sees everything written before
 * any of the requests. For slow reads that are requested often. Nothing is cached.
 */
export class QueuedReads<T> {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #next = new Map<string, Promise<T>>();

  /** `key` must differ for all reads with different results. */
  share(key: string, read: () => Promise<T>): Promise<T> {
    const next = this.#next.get(key);
    if (next) return next;
    const before = this.#running.get(key) ?? new Promise<void>((resolve) => setImmediate(resolve));
    const shared = before.then(() => {
      this.#next.delete(key);
      const run = read();
      const ended = run.then(nothing, nothing).then(() => {
        if (this.#running.get(key) === ended) this.#running.delete(key);
      });
      this.#running.set(key, ended);
      return run;
    });
    this.#next.set(key, shared);
    return shared;
  }
}

const nothing = (): void => undefined;
