/** The interval in milliseconds at which a stream's credential is checked again; it may be cached for four more seconds. */
const CHECK_MS = 1_000;

/** What is checked again for each open stream, all of it in one turn: a thousand timers wake the process a thousand times a second. */
export class Rechecks {
  readonly #checks = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  /** Begins to check; the function that is returned ends it. */
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
