/** How many requests run at once, in turn of asking. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<(held: boolean) => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs the work as soon as there is a slot; without one, when it is stopped before. */
  async run<T>(stopped: AbortSignal, work: () => Promise<T>): Promise<T> {
    const held = await this.#take(stopped);
    try {
      return await work();
    } finally {
      if (held) this.#give();
    }
  }

  #take(stopped: AbortSignal): boolean | Promise<boolean> {
    if (stopped.aborted) return false;
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    return new Promise((resolve) => {
      const settle = (held: boolean): void => {
        this.#waiting.delete(settle);
        stopped.removeEventListener('abort', leave);
        resolve(held);
      };
      const leave = (): void => settle(false);
      this.#waiting.add(settle);
      stopped.addEventListener('abort', leave);
    });
  }

  #give(): void {
    const [next] = this.#waiting;
    if (next) next(true);
    else this.#free += 1;
  }
}
