import { createHash, type Hash } from 'node:crypto';
import { Binary, type Collection, ObjectId } from 'mongodb';

/** A chunk of a file as GridFS stores it. */
export interface StoredChunk {
  readonly _id: ObjectId;
  readonly files_id: string;
  readonly n: number;
  readonly data: Binary;
}

/** What the chunks contain, once all are acknowledged. */
export interface WrittenChunks {
  readonly size: number;
  readonly chunkSize: number;
  readonly chunks: number;
  readonly sha256: string;
}

/** The bytes of each chunk of a file but the last. */
export const CHUNK_SIZE = 1024 * 1024;
/** More would be no quicker, since hashing and sending take the time, but would hold more memory. */
const INSERTS_AT_ONCE = 2;

/** Creates the chunk of a file with a given number. */
export const chunkOf = (file: string, n: number, data: Uint8Array): StoredChunk => ({
  _id: new ObjectId(),
  files_id: file,
  n,
  data: new Binary(data),
});

/**
 * Cuts a stream into chunks and writes a few at a time, each acknowledged by the primary alone: whoever keeps the file waits for
 * the majority, once. Memory is bounded by the inserts in flight; buffers are reused.
 */
export class ChunkWriter {
  readonly #chunks: Collection<StoredChunk>;
  readonly #file: string;
  readonly #hash: Hash = createHash('sha256');
  readonly #inFlight = new Set<Promise<void>>();
  readonly #free: Buffer[] = [];
  #buffer: Buffer | undefined;
  #filled = 0;
  #sent = 0;
  #size = 0;
  #failure: { readonly error: unknown } | undefined;

  /** `chunks` is a collection whose writes are acknowledged by the primary. */
  constructor(chunks: Collection<StoredChunk>, file: string) {
    this.#chunks = chunks;
    this.#file = file;
  }

  /** False once an insert has failed, possibly without a reply, so that it may still take effect. */
  get settled(): boolean {
    return this.#failure === undefined;
  }

  /** Writes the next bytes; waits while too much is in flight. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      this.#buffer ??= this.#free.pop() ?? Buffer.allocUnsafeSlow(CHUNK_SIZE);
      const part = Math.min(CHUNK_SIZE - this.#filled, bytes.length - at);
      this.#buffer.set(at === 0 && part === bytes.length ? bytes : bytes.subarray(at, at + part), this.#filled);
      this.#filled += part;
      at += part;
      if (this.#filled === CHUNK_SIZE) await this.#send(this.#buffer);
    }
  }

  /** Writes the remaining bytes and waits for every insert. */
  async end(): Promise<WrittenChunks> {
    if (this.#buffer && this.#filled > 0) await this.#send(this.#buffer);
    await this.drain();
    if (this.#failure) throw this.#failure.error;
    return { size: this.#size, chunkSize: CHUNK_SIZE, chunks: this.#sent, sha256: this.#hash.digest('hex') };
  }

  /** Waits until nothing is in flight, whatever the outcome. */
  async drain(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  /** Sends the filled part of the buffer, which can be reused once the primary has it. */
  async #send(buffer: Buffer): Promise<void> {
    const data = buffer.subarray(0, this.#filled);
    this.#buffer = undefined;
    this.#filled = 0;
    const insert: Promise<void> = this.#chunks
      .insertOne(chunkOf(this.#file, this.#sent++, data))
      .then(() => void this.#free.push(buffer))
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#inFlight.delete(insert));
    this.#inFlight.add(insert);
    this.#hash.update(data); // while the insert is on its way
    this.#size += data.length;
    while (this.#inFlight.size >= INSERTS_AT_ONCE) await Promise.race(this.#inFlight);
    if (this.#failure) throw this.#failure.error;
  }
}
