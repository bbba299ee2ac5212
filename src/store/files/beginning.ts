import { CHUNK_SIZE } from './chunk-writer.ts';

const FIRST_BYTES = 128 * 1024;

/** The beginning of an incoming file, at most a chunk; it may be the whole file. */
export class Beginning {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #filled = 0;

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#filled);
  }

  /** Adds the next bytes; false if they go beyond the beginning. */
  add(bytes: Uint8Array): boolean {
    const size = this.#filled + bytes.length;
    if (size > CHUNK_SIZE) return false;
    if (size > this.#buffer.length) this.#growTo(size);
    this.#buffer.set(bytes, this.#filled);
    this.#filled = size;
    return true;
  }

  #growTo(size: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(size, Math.min(2 * this.#buffer.length, CHUNK_SIZE)));
    larger.set(this.bytes);
    this.#buffer = larger;
  }
}
