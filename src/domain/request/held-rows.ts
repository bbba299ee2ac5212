import { ServiceError } from '../../errors.ts';
import type { RawEntity } from '../../store/entities/read-entity.ts';

/** What the rows that one operation holds may have together, in bytes as they are stored. */
const MOST_BYTES = 128 * 1024 * 1024;
/** How many reads of rows one operation has under way at once: each may bring a whole page, or as much as is related. */
const AT_ONCE = 5;

/**
 * The rows that the lists and relations of one operation hold until it is answered. Rows of one reply of MongoDB are views of
 * it, and any of them holds all of it: a reply is counted whole, and once, whatever is shown of it.
 */
export class HeldRows {
  #isLimited = false;
  #bytes = 0;
  #underWay = 0;
  /** Undefined until a read has had to wait. */
  #waiting: (() => void)[] | undefined;
  /** Undefined until there is a reply that is no part of a larger buffer. */
  #replies: WeakSet<ArrayBufferLike> | undefined;

  /** From now on, rows that are too large together are TOO_LARGE. */
  limit(): void {
    this.#isLimited = true;
  }

  /** What was read so far is let go of. */
  release(): void {
    this.#bytes = 0;
    this.#replies = undefined;
  }

  /** Rows that are held from then on, read when few enough of the operation are under way. */
  async read<T>(read: () => Promise<T>, rowsOf: (found: T) => readonly RawEntity[]): Promise<T> {
    if (!this.#isLimited) return read();
    if (this.#underWay < AT_ONCE) this.#underWay += 1;
    else await this.#turn();
    try {
      this.#check();
      const found = await read();
      this.#hold(rowsOf(found));
      return found;
    } finally {
      const next = this.#waiting?.shift();
      if (next) next();
      else this.#underWay -= 1;
    }
  }

  /** Waits for the place of a read that has ended. */
  #turn(): Promise<void> {
    this.#waiting ??= [];
    return new Promise((resolve) => this.#waiting?.push(resolve));
  }

  #hold(rows: readonly RawEntity[]): void {
    let last: ArrayBufferLike | undefined;
    for (const { reply, byteLength } of rows) {
      if (reply.byteLength <= Buffer.poolSize) this.#bytes += byteLength;
      else if (reply !== last) {
        last = reply;
        this.#replies ??= new WeakSet();
        if (this.#replies.has(reply)) continue;
        this.#replies.add(reply);
        this.#bytes += reply.byteLength;
      }
    }
    this.#check();
  }

  #check(): void {
    if (this.#bytes <= MOST_BYTES) return;
    throw new ServiceError(
      'TOO_LARGE',
      `The lists of the operation have more than the ${MOST_BYTES} bytes together that one may hold. Ask for fewer lists at a time, or for smaller pages.`,
    );
  }
}
