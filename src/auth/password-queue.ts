import { rateLimited } from '../errors.ts';
import { usernameKey } from '../model/session.ts';
import { FairLine } from './fair-line.ts';

/** Concurrent hashes: half of Node's threads stay free for other work. */
const AT_ONCE = 2;
/** The longest wait in the queue, in milliseconds. */
const LONGEST_WAIT_MS = 2_000;
/** The weight of the newest duration in the moving average. */
const WEIGHT = 0.2;

/** Whose password is hashed. */
export interface Applicant {
  readonly username: string;
  /** The networks it comes from, the largest first. */
  readonly networks: readonly string[];
}

/** A place in the queue, held until the work begins or it is given up. */
export interface Place {
  /** Runs the work in turn; RATE_LIMITED if that takes too long. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Gives the place up; does nothing once the work has begun. */
  leave(): void;
}

/** One that waits; `begin` is there once its work is. */
interface Waiting {
  begin?: () => void;
}

/**
 * Hashes passwords, two at a time. Networks take turns, the smaller ones within each, and the names within those, so that
 * many attempts of one hold up no other. Work that would wait longer than two seconds is rejected with RATE_LIMITED
 * (contract §11).
 */
export class PasswordQueue {
  readonly #line = new FairLine<Waiting>();
  #running = 0;
  #averageMs = 250;

  /** Takes a place, before anything else is done for an attempt; throws RATE_LIMITED if it would wait too long. */
  enter({ username, networks }: Applicant): Place {
    const path = [...networks, usernameKey(username)];
    const rounds = Math.floor((this.#line.ahead(path) - (AT_ONCE - this.#running)) / AT_ONCE); // after those that run now
    if (rounds * this.#averageMs > LONGEST_WAIT_MS) throw tooMany();
    const waiting: Waiting = {};
    this.#line.add(waiting, path);
    const leave = (): void => this.#line.remove(waiting, path);
    return {
      leave,
      run: async (work) => {
        if (this.#running < AT_ONCE) {
          leave();
          this.#running += 1;
        } else await this.#turn(waiting, leave);
        return this.#timed(work);
      },
    };
  }

  async #timed<T>(work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    try {
      return await work();
    } finally {
      this.#averageMs += (performance.now() - begun - this.#averageMs) * WEIGHT;
      const next = this.#line.take(({ begin }) => begin !== undefined);
      if (next?.begin) next.begin();
      else this.#running -= 1;
    }
  }

  /** Resolves once one that ran has handed over to it. */
  #turn(waiting: Waiting, leave: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        leave();
        reject(tooMany());
      }, LONGEST_WAIT_MS);
      waiting.begin = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const tooMany = () => rateLimited('Too many people sign in at this moment', LONGEST_WAIT_MS);
