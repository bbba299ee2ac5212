import { ranOut } from '../connection/bounded-writes.ts';
import { timeLeft } from '../connection/long-reads.ts';
import { lacksPointInTime } from '../connection/snapshot-reads.ts';
import type { TimeLimit } from '../entities/query.ts';
import type { RawEntity } from '../entities/read-entity.ts';
import type { EntityCursor, Rows } from '../entities/row-reader.ts';
import type { PartReader } from './list-in-parts.ts';

/** How to read a list from one cursor after another. */
interface Cursors {
  /** Reads the list after a row, or from the start. */
  begin(after: RawEntity | undefined, time: TimeLimit): EntityCursor;
  /** Forgets the point in time. */
  restart(): void;
}

/**
 * Reads a list at one point in time, resuming after the last row where MongoDB ends the cursor first. MongoDB keeps a snapshot for some
 * minutes; the rest of a list that takes longer is read as of a later time. It adds up the time of all reads from a cursor, although the
 * limit is that of each, and measures it by a clock that may be set.
 */
export class ResumingReader implements PartReader {
  readonly #cursors: Cursors;
  /** The limit of each read. */
  readonly #time: TimeLimit;
  #open: EntityCursor;

  constructor(time: TimeLimit, cursors: Cursors) {
    this.#cursors = cursors;
    this.#time = time;
    this.#open = cursors.begin(undefined, time);
  }

  read(count: number, after: RawEntity | undefined): Promise<Rows> {
    const left = timeLeft(this.#time);
    return this.#open.read(count).catch((error) => {
      if (lacksPointInTime(error)) this.#cursors.restart();
      else if (!ranOut(error)) throw error;
      this.#open = this.#cursors.begin(after, left());
      return this.#open.read(count);
    });
  }

  close(): Promise<void> {
    return this.#open.close();
  }
}
