import { ServiceError } from '../../errors.ts';
import type { RawEntity } from '../../store/entities/read-entity.ts';

/** The limit for all of a tenant's operations, in operations of the maximum size. */
const OPERATIONS = 2;
/** The bytes an operation may hold whatever others hold. */
const LITTLE_BYTES = 16 * 1024 * 1024;

/** The most bytes that the rows of one operation may take, and how to abort it beyond that. */
export interface RowLimit {
  readonly bytes: number;
  /** Whether it may be refused for what others hold: an operation that changes something is always answered. */
  readonly mayBeRefused: boolean;
  exceed(error: ServiceError): void;
}

/** The bytes held by all operations of each tenant in one process. */
export class HeldBytes {
  readonly #byTenant = new Map<string, number>();

  /** Adds to, or subtracts from, what the tenant holds; returns the new total. */
  add(tenant: string, bytes: number): number {
    const held = (this.#byTenant.get(tenant) ?? 0) + bytes;
    if (held > 0) this.#byTenant.set(tenant, held);
    else this.#byTenant.delete(tenant);
    return held;
  }
}

/**
 * The rows that the lists and relations of one operation hold until it is answered. Rows are views of MongoDB's reply, and any of them
 * retains all of it: a reply is counted whole, and once, however little of it is shown.
 */
export class HeldRows {
  readonly #tenant: string;
  readonly #all: HeldBytes;
  #limit: RowLimit | undefined;
  #bytes = 0;
  #isOver = false;
  #error: ServiceError | undefined;
  /** Undefined until there is a reply that is not part of a larger buffer. */
  #replies: WeakSet<ArrayBufferLike> | undefined;

  constructor(tenant: string, all: HeldBytes) {
    this.#tenant = tenant;
    this.#all = all;
  }

  /** From now on, too many bytes of rows throw TOO_LARGE, or UNAVAILABLE if the tenant's operations together exceed their limit. */
  limitTo(limit: RowLimit): void {
    this.#limit = limit;
  }

  /** Releases everything read so far. */
  release(): void {
    if (this.#bytes > 0) this.#all.add(this.#tenant, -this.#bytes);
    this.#bytes = 0;
    this.#replies = undefined;
  }

  /** Releases everything; later results of pending reads are not counted. */
  close(): void {
    this.#isOver = true;
    this.release();
  }

  /** Reads rows and counts them as held; throws once the limit is exceeded. */
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

  /** Throws the error that aborted the operation, if any. */
  check(): void {
    if (this.#error) throw this.#error;
  }

  #end(limit: RowLimit, error: ServiceError): void {
    this.#error = error;
    limit.exceed(error);
  }

  /** The additional bytes that a row retains. */
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
    `The lists of the operation have read more than the ${bytes} bytes that one operation may hold. Ask for fewer lists at a time, or for smaller pages.`,
  );

const tooLargeTogether = (): ServiceError =>
  new ServiceError(
    'UNAVAILABLE',
    'Your operations in progress have together read too much. Ask for fewer lists at a time, or for smaller pages, or wait until others have finished.',
    { headers: { 'Retry-After': '5' } },
  );
