/** Work on documents: what concerns one document is done in order, and only some documents are worked on at a time. */
export class DocumentChains {
  readonly #width: () => number;
  readonly #stopped: AbortSignal;
  readonly #chains = new Map<string, Promise<void>>();
  /** Who waits for a turn. */
  readonly #turns: (() => void)[] = [];
  #active = 0;

  /** `width` says how many documents may be worked on at the moment. */
  constructor(width: () => number, stopped: AbortSignal) {
    this.#width = width;
    this.#stopped = stopped;
  }

  /** Does the work after all that is to be done for the document already; nothing when it was stopped before. */
  add(document: string, work: () => Promise<void>): Promise<void> {
    const before = this.#chains.get(document) ?? Promise.resolve();
    const done = before.then(() => this.#inTurn(work));
    const chain = done
      .catch(() => undefined) // what comes after it does not fail with it
      .finally(() => {
        if (this.#chains.get(document) === chain) this.#chains.delete(document);
      });
    this.#chains.set(document, chain);
    return done;
  }

  /** Resolves when all is done, or was left out because of the stop. */
  async settled(): Promise<void> {
    this.#wakeAll();
    while (this.#chains.size > 0) await Promise.all(this.#chains.values());
  }

  /** For work that has a turn and waits: gives the turn to others meanwhile. */
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
