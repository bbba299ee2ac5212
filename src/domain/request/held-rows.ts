import { ServiceError } from '../../errors.ts';
import type { RawEntity } from '../../store/entities/read-entity.ts';

/** How many operations of the largest size those of one tenant may be together. */
const OPERATIONS = 2;
/** What an operation may hold whatever others do. */
const LITTLE_BYTES = 16 * 1024 * 1024;

/** How many bytes the rows of one operation may have together, and what ends it once they have more. */
export interface RowLimit {
  readonly bytes: number;
  /** Whether it may be refused for what others hold: one that changes something is answered in any case. */
  readonly mayBeRefused: boolean;
  exceed(error: ServiceError): void;
}

/** What the operations of each tenant hold together in one process, in bytes. */
export class HeldBytes {
  readonly #byTenant = new Map<string, number>();

  /** What the tenant holds with that many bytes more, or fewer. */
  add(tenant: string, bytes: number): number {
    const held = (this.#byTenant.get(tenant) ?? 0) + bytes;
    if (held > 0) this.#byTenant.set(tenant, held);
    else this.#byTenant.delete(tenant);
    return held;
  }
}

/**
 * The rows that the lists and relations of one operation hold until it is answered. Rows of one reply of MongoDB are views of
 * it, and any of them holds all of it: a reply is counted whole, and once, whatever is shown of it.
 */
export class HeldRows {
  readonly #tenant: string;
  readonly #all: HeldBytes;
  #limit: RowLimit | undefined;
  #bytes = 0;
  #isOver = false;
  #error: ServiceError | undefined;
  /** Undefined until there is a reply that is no part of a larger buffer. */
  #replies: WeakSet<ArrayBufferLike> | undefined;

  constructor(tenant: string, all: HeldBytes) {
    this.#tenant = tenant;
    this.#all = all;
  }

  /** From now on, rows that are too large together are TOO_LARGE, or UNAVAILABLE where those of other operations are. */
  limitTo(limit: RowLimit): void {
    this.#limit = limit;
  }

  /** What was read so far is let go of. */
  release(): void {
    if (this.#bytes > 0) this.#all.add(this.#tenant, -this.#bytes);
    this.#bytes = 0;
    this.#replies = undefined;
  }

  /** Nothing is held any more, nor of what is still being read. */
  close(): void {
    this.#isOver = true;
    this.release();
  }

  /** Rows that are held from then on; none is read any more once there are too many. */
  read<T>(read: () => Promise<T>, rowsOf: (found: T) => readonly RawEntity[]): Promise<T> {
    return this.#limit ? this.#counted(this.#limit, read, rowsOf) : read();
  }

  async #counted<T>(limit: RowLimit, read: () => Promise<T>, rowsOf: (found: T) => readonly RawEntity[]): Promise<T> {
    this.check();
    const found = await read();
    if (this.#isOver) return found;
    let added = 0;
    for (const { reply, byteLength } of rowsOf(found)) added += this.#added(reply, byteLength);
    this.#bytes += added;
    const ofTenant = this.#all.add(this.#tenant, added);
    if (this.#bytes > limit.bytes) this.#end(limit, tooLarge(limit));
    else if (limit.mayBeRefused && ofTenant > OPERATIONS * limit.bytes && this.#bytes > LITTLE_BYTES)
      this.#end(limit, tooLargeTogether());
    this.check();
    return found;
  }

  /** Throws the error that has ended the operation. */
  check(): void {
    if (this.#error) throw this.#error;
  }

  #end(limit: RowLimit, error: ServiceError): void {
    this.#error = error;
    limit.exceed(error);
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

const tooLargeTogether = (): ServiceError =>
  new ServiceError(
    'UNAVAILABLE',
    'Your operations that are under way have read too much together. Ask for fewer lists at a time, or for smaller pages, or wait until others are answered.',
    { headers: { 'Retry-After': '5' } },
  );
