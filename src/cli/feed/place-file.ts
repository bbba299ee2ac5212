import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';

/** A file that holds the place in the feed: the id of the last change written. */
export class PlaceFile {
  readonly #file: string;
  #kept: string | undefined;

  /** Throws if the file holds anything else, or cannot be written. */
  constructor(file: string) {
    this.#file = file;
    const text = existsSync(file) ? this.#sayingWhich('cannot be read', () => readFileSync(file, 'utf8').trim()) : '';
    if (!/^\d*$/.test(text))
      throw new Error(`${file} does not contain a position in the feed: it must be the id of a change.`);
    this.#kept = text || undefined;
    // A missing folder or a full disk is noticed before any change is written.
    this.#sayingWhich('cannot be written', () => this.#write(text));
    rmSync(this.#temporary);
  }

  get place(): string | undefined {
    return this.#kept;
  }

  /** Replaces the place atomically: the file has the old one or the new one whatever happens. */
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

  /** Runs the work and returns its result; on failure it cleans up, and the message names the file as given. */
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
