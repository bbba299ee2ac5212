import { rateLimited } from '../errors.ts';

/** Concurrent hashes: half of Node's threads stay free for other work. */
const AT_ONCE = 2;
/** The longest wait in the queue, in milliseconds. */
const LONGEST_WAIT_MS = 2_000;
/** The weight of the newest duration in the moving average. */
const WEIGHT = 0.2;

/** Hashes passwords, two at a time; work that would wait longer than two seconds is rejected with RATE_LIMITED (contract §11). */
export class PasswordQueue {
  #running = 0;
  #averageMs = 250;
  readonly #waiting = new Set<() => void>();

  /** Throws RATE_LIMITED if work queued now would wait too long. */
  check(): void {
    if (this.#running < AT_ONCE) return;
    const turns = Math.ceil((this.#waiting.size + 1) / AT_ONCE);
    if (turns * this.#averageMs > LONGEST_WAIT_MS) throw tooMany();
  }

  /** Queues the work and runs it in turn. */
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

  /** Hands the slot to the longest-waiting caller. */
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
