import { setTimeout as sleep } from 'node:timers/promises';

/** Runs work on the same thing in this process one at a time, in the order requested; work on different things runs concurrently. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Whether there is unfinished work on the thing. */
  isTaken(thing: string): boolean {
    return this.#last.has(thing);
  }

  /** Runs the work once earlier work has ended or `patienceMs` have passed. */
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
