import { lacksPointInTime } from '../connection/snapshot-reads.ts';
import type { RawEntity } from '../entities/read-entity.ts';
import type { EntityCursor, Rows } from '../entities/row-reader.ts';
import type { PartReader } from './list-in-parts.ts';

/**
 * Reads a list at one point in time. MongoDB keeps a snapshot for some minutes; the rest of a list that takes longer is read as
 * of a later time, resuming after the last row.
 */
export class ResumingReader implements PartReader {
  readonly #begin: (after: RawEntity | undefined) => EntityCursor;
  readonly #restart: () => void;
  #open: EntityCursor;

  /** `begin` reads the list after a row, or from the start; `restart` forgets the point in time first. */
  constructor(begin: (after: RawEntity | undefined) => EntityCursor, restart: () => void) {
    this.#begin = begin;
    this.#restart = restart;
    this.#open = begin(undefined);
  }

  read(count: number, after: RawEntity | undefined): Promise<Rows> {
    return this.#open.read(count).catch((error) => {
      if (!lacksPointInTime(error)) throw error;
      this.#restart();
      this.#open = this.#begin(after);
      return this.#open.read(count);
    });
  }

  close(): Promise<void> {
    return this.#open.close();
  }
}
