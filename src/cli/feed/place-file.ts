import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';

/** A file that holds the place in the feed: the id of the last change that was written. */
export class PlaceFile {
  readonly #file: string;
  #kept: string | undefined;

  /** Throws if the file has something else in it, or cannot be written. */
  constructor(file: string) {
    this.#file = file;
    const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    if (!/^\d*$/.test(text))
      throw new Error(`${file} does not contain a position in the feed: it must be the id of a change.`);
    this.#kept = text || undefined;
    closeSync(openSync(this.#temporary, 'w')); // a folder that is not there is noticed before anything is written
    rmSync(this.#temporary);
  }

  get place(): string | undefined {
    return this.#kept;
  }

  /** Replaces the place, so that the file has the old one or the new one whatever happens. */
  keep(place: string): void {
    if (place === this.#kept) return;
    const file = openSync(this.#temporary, 'w');
    try {
      writeSync(file, `${place}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(this.#temporary, this.#file);
    this.#kept = place;
  }

  get #temporary(): string {
    return `${this.#file}.${process.pid}.tmp`;
  }
}
