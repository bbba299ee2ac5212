import { rateLimited } from '../errors.ts';

/** How many passwords are hashed at a time, so that half of Node's threads stay free for others. */
const AT_ONCE = 2;
/** How long one may wait for its turn, in milliseconds. */
const LONGEST_WAIT_MS = 2_000;
/** How much the newest duration counts in the average. */
const WEIGHT = 0.2;

/** Hashes passwords, two at a time; what would wait longer than two seconds is refused with RATE_LIMITED (contract §11). */
export class PasswordQueue {
  #running = 0;
  #averageMs = 250;
  readonly #waiting = new Set<() => void>();

  /** Throws RATE_LIMITED if work that is begun now would wait too long. */
  check(): void {
    if (this.#running < AT_ONCE) return;
    const turns = Math.ceil((this.#waiting.size + 1) / AT_ONCE);
    if (turns * this.#averageMs > LONGEST_WAIT_MS) throw tooMany();
  }

  /** Does the work in its turn. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.check();
    if (this.#running < AT_ONCE) this.#running += 1;
    else await this.#turn();
    const begun = performance.now();
    try {
      return await work();
    } finally {
      this.#averageMs += (performance.now() - begun - this.#averageMs) * WEIGHT;
      this.#pass();
    }
  }

  #turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(begin);
        reject(tooMany());
      }, LONGEST_WAIT_MS);
      this.#waiting.add(begin);
    });
  }

  /** Gives the place to who waits longest. */
  #pass(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#running -= 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}

const tooMany = () => rateLimited('Too many people sign in at this moment', LONGEST_WAIT_MS);
