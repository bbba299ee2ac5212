import { setTimeout as sleep } from 'node:timers/promises';

/** Work on the same thing in one process, one after the other in the order of asking; work on different things runs side by side. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Whether there is work on the thing that has not ended. */
  isTaken(thing: string): boolean {
    return this.#last.has(thing);
  }

  /** Runs the work once what was asked for earlier has ended, or `patienceMs` have passed. */
  async run<T>(thing: string, work: () => Promise<T>, { patienceMs }: { readonly patienceMs: number }): Promise<T> {
    const earlier = this.#last.get(thing);
    const own = earlier ? Promise.race([earlier, sleep(patienceMs, undefined, { ref: false })]).then(work) : work();
    const end = own.catch(() => undefined);
    this.#last.set(thing, end);
    try {
      return await own;
    } finally {
      if (this.#last.get(thing) === end) this.#last.delete(thing);
    }
  }
}
