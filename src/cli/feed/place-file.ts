import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';

/** A file that holds the place in the feed: the id of the last change that was written. */
export class PlaceFile {
  readonly #file: string;
  #kept: string | undefined;

  /** Throws if the file has something else in it, or cannot be written. */
  constructor(file: string) {
    this.#file = file;
    const text = existsSync(file) ? this.#sayingWhich('cannot be read', () => readFileSync(file, 'utf8').trim()) : '';
    if (!/^\d*$/.test(text))
      throw new Error(`${file} does not contain a position in the feed: it must be the id of a change.`);
    this.#kept = text || undefined;
    // A folder that is not there, and a disk that is full, are noticed before any change is written.
    this.#sayingWhich('cannot be written', () => this.#write(text));
    rmSync(this.#temporary);
  }

  get place(): string | undefined {
    return this.#kept;
  }

  /** Replaces the place, so that the file has the old one or the new one whatever happens. */
  keep(place: string): void {
    if (place === this.#kept) return;
    const before = this.#kept === undefined ? 'has no place yet' : `still has the place ${this.#kept}`;
    this.#sayingWhich(`${before}, after which some changes were written already, because it cannot be written`, () => {
      this.#write(place);
      renameSync(this.#temporary, this.#file);
    });
    this.#kept = place;
  }

  get #temporary(): string {
    return `${this.#file}.${process.pid}.tmp`;
  }

  #write(place: string): void {
    const file = openSync(this.#temporary, 'w');
    try {
      writeSync(file, `${place}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  /** The outcome of work; if it fails, nothing is left of it, and the message names the file as it was given. */
  #sayingWhich<T>(fault: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (existsSync(this.#temporary)) rmSync(this.#temporary);
      const [reason] = (error as Error).message.split(',', 1);
      throw new Error(`${this.#file} ${fault} (${reason}).`, { cause: error });
    }
  }
}
