/** Runs work on documents: in order for each document, and for a limited number of documents at a time. */
export class DocumentChains {
  readonly #width: () => number;
  readonly #stopped: AbortSignal;
  readonly #chains = new Map<string, Promise<void>>();
  /** Callbacks of work waiting for a turn. */
  readonly #turns: (() => void)[] = [];
  #active = 0;

  /** `width` returns how many documents may currently be worked on. */
  constructor(width: () => number, stopped: AbortSignal) {
    this.#width = width;
    this.#stopped = stopped;
  }

  /** Runs the work after all work queued earlier for the document; skips it if stopped before then. */
  add(document: string, work: () => Promise<void>): Promise<void> {
    const before = this.#chains.get(document) ?? Promise.resolve();
    const done = before.then(() => this.#inTurn(work));
    const chain = done
      .catch(() => undefined) // a failure does not fail the work queued behind it
      .finally(() => {
        if (this.#chains.get(document) === chain) this.#chains.delete(document);
      });
    this.#chains.set(document, chain);
    return done;
  }

  /** Resolves when all work is done, or was skipped because of the stop. */
  async settled(): Promise<void> {
    this.#wakeAll();
    while (this.#chains.size > 0) await Promise.all(this.#chains.values());
  }

  /** For work that has to wait during its turn: lets other work run meanwhile. */
  async away(waited: Promise<void>): Promise<void> {
    this.#giveTurn();
    await waited;
    await this.#takeTurn();
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    await this.#takeTurn();
    try {
      if (!this.#stopped.aborted) await work();
    } finally {
      this.#giveTurn();
    }
  }

  async #takeTurn(): Promise<void> {
    while (this.#active >= this.#width() && !this.#stopped.aborted) {
      await new Promise<void>((resolve) => this.#turns.push(resolve));
    }
    this.#active += 1;
  }

  #giveTurn(): void {
    this.#active -= 1;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const turn of this.#turns.splice(0)) turn();
  }
}
