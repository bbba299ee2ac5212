import { ServiceError } from '../../errors.ts';
import { duplicateKeyIndex } from '../duplicate-key.ts';

/** The most members of one joined write, and the most bytes of several. */
const MOST_MEMBERS = 100;
const MOST_BYTES = 4_000_000;

interface Waiting<T> {
  readonly member: T;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Joins writes of the same turn of the event loop into one transaction. If a member is refused, each is written alone, so that it
 * succeeds or fails as if there were no others.
 */
export class JoinedWrites<T> {
  readonly #write: (members: readonly T[]) => Promise<void>;
  #waiting: Waiting<T>[] = [];

  /** `write` writes all of the members or none. */
  constructor(write: (members: readonly T[]) => Promise<void>) {
    this.#write = write;
  }

  add(member: T, bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#flush());
      this.#waiting.push({ member, bytes, resolve, reject });
    });
  }

  #flush(): void {
    let some: Waiting<T>[] = [];
    let sum = 0;
    for (const one of this.#waiting) {
      const isFull = some.length === MOST_MEMBERS || sum + one.bytes > MOST_BYTES;
      if (isFull && some.length > 0) {
        void this.#send(some);
        some = [];
        sum = 0;
      }
      some.push(one);
      sum += one.bytes;
    }
    this.#waiting = [];
    void this.#send(some);
  }

  async #send(all: readonly Waiting<T>[]): Promise<void> {
    try {
      await this.#write(all.map(({ member }) => member));
      for (const { resolve } of all) resolve();
    } catch (error) {
      if (all.length > 1 && isOfOne(error)) await Promise.all(all.map((one) => this.#send([one])));
      else for (const { reject } of all) reject(error);
    }
  }
}

/** Whether it was refused because of a single member; nothing was written then. */
const isOfOne = (error: unknown): boolean => error instanceof ServiceError || duplicateKeyIndex(error) !== undefined;
