import type { RawEntity } from '../entities/read-entity.ts';
import type { KeptFile } from './kept-file.ts';

/** A file in memory, with who may keep it and for what. */
export interface HeldFile extends KeptFile {
  readonly bytes: Buffer;
  readonly purpose: string;
  /** The document that the file is for, as it was before the upload. */
  readonly document: RawEntity;
}

interface Held {
  readonly file: HeldFile;
  readonly since: number;
}

/** The most bytes for all files together. */
const MOST_BYTES = 32 * 1024 * 1024;
/** How long to hold a file that nobody keeps or discards. */
const FORGOTTEN_MS = 10 * 60_000;

/** Small files waiting briefly to be attached; nothing of them is stored until then. */
export class HeldFiles {
  readonly #files = new Map<string, Held>();
  #bytes = 0;

  /** False if there is no room for the file. */
  add(file: HeldFile): boolean {
    this.#forgetOld();
    const size = memoryOf(file);
    if (this.#bytes + size > MOST_BYTES) return false;
    this.#bytes += size;
    this.#files.set(file.id, { file, since: performance.now() });
    return true;
  }

  /** Removes and returns the file with an id; undefined if none is held for that purpose. */
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
