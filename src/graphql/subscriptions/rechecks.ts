/** The interval in milliseconds at which a stream's credential is checked again; it may be cached for four more seconds. */
const CHECK_MS = 1_000;

/** Runs the rechecks of all open streams on one timer: a thousand timers would wake the process a thousand times a second. */
export class Rechecks {
  readonly #checks = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  /** Starts a check; the returned function ends it. */
  begin(check: () => void): () => void {
    this.#checks.add(check);
    this.#timer ??= setInterval(() => {
      for (const one of [...this.#checks]) one();
    }, CHECK_MS).unref();
    return () => {
      this.#checks.delete(check);
      if (this.#checks.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }
}
