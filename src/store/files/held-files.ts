import type { RawEntity } from '../entities/read-entity.ts';
import type { KeptFile } from './kept-file.ts';

/** A file in memory, with who may keep it, and for what. */
export interface HeldFile extends KeptFile {
  readonly bytes: Buffer;
  readonly purpose: string;
  /** The document that it is for, as it was before the file came. */
  readonly document: RawEntity;
}

interface Held {
  readonly file: HeldFile;
  readonly since: number;
}

/** The most bytes of all files together. */
const MOST_BYTES = 32 * 1024 * 1024;
/** How long one is held that nobody keeps or discards. */
const FORGOTTEN_MS = 10 * 60_000;

/** Small files that wait for a moment to be attached: nothing of them is stored before. */
export class HeldFiles {
  readonly #files = new Map<string, Held>();
  #bytes = 0;

  /** False where there is no room for it. */
  add(file: HeldFile): boolean {
    this.#forgetOld();
    const size = memoryOf(file);
    if (this.#bytes + size > MOST_BYTES) return false;
    this.#bytes += size;
    this.#files.set(file.id, { file, since: performance.now() });
    return true;
  }

  /** The file of an id, which is held no longer; undefined where none is held for that purpose. */
  take(id: string, purpose: string): HeldFile | undefined {
    const file = this.#files.get(id)?.file;
    if (file?.purpose !== purpose) return undefined;
    this.#remove(file);
    return file;
  }

  #forgetOld(): void {
    const before = performance.now() - FORGOTTEN_MS;
    for (const { file, since } of this.#files.values()) {
      if (since > before) return;
      this.#remove(file);
    }
  }

  #remove(file: HeldFile): void {
    this.#files.delete(file.id);
    this.#bytes -= memoryOf(file);
  }
}

const memoryOf = ({ bytes }: HeldFile): number => bytes.buffer.byteLength;
