import { ServiceError } from '../../errors.ts';
import type { RawEntity } from '../../store/entities/read-entity.ts';

/** How many bytes the rows of one operation may have together, and what ends it once they have more. */
export interface RowLimit {
  readonly bytes: number;
  exceed(error: ServiceError): void;
}

/**
 * The rows that the lists and relations of one operation hold until it is answered. Rows of one reply of MongoDB are views of
 * it, and any of them holds all of it: a reply is counted whole, and once, whatever is shown of it.
 */
export class HeldRows {
  #limit: RowLimit | undefined;
  #bytes = 0;
  /** Undefined until there is a reply that is no part of a larger buffer. */
  #replies: WeakSet<ArrayBufferLike> | undefined;

  /** From now on, rows that are too large together are TOO_LARGE. */
  limitTo(limit: RowLimit): void {
    this.#limit = limit;
  }

  /** What was read so far is let go of. */
  release(): void {
    this.#bytes = 0;
    this.#replies = undefined;
  }

  /** Rows that are held from then on; none is read any more once there are too many. */
  read<T>(read: () => Promise<T>, rowsOf: (found: T) => readonly RawEntity[]): Promise<T> {
    return this.#limit ? this.#counted(this.#limit, read, rowsOf) : read();
  }

  async #counted<T>(limit: RowLimit, read: () => Promise<T>, rowsOf: (found: T) => readonly RawEntity[]): Promise<T> {
    this.check();
    const found = await read();
    for (const { reply, byteLength } of rowsOf(found)) this.#bytes += this.#added(reply, byteLength);
    if (this.#bytes > limit.bytes) limit.exceed(tooLarge(limit));
    this.check();
    return found;
  }

  /** TOO_LARGE if there are too many already. */
  check(): void {
    if (this.#limit && this.#bytes > this.#limit.bytes) throw tooLarge(this.#limit);
  }

  /** How much is held for a row that was not held before. */
  #added(reply: ArrayBufferLike, row: number): number {
    if (reply.byteLength <= Buffer.poolSize) return row;
    this.#replies ??= new WeakSet();
    if (this.#replies.has(reply)) return 0;
    this.#replies.add(reply);
    return reply.byteLength;
  }
}

const tooLarge = ({ bytes }: RowLimit): ServiceError =>
  new ServiceError(
    'TOO_LARGE',
    `What the lists of the operation have read is larger than the ${bytes} bytes that one may hold. Ask for fewer lists at a time, or for smaller pages.`,
  );
