import { lacksPointInTime } from '../connection/snapshot-reads.ts';
import type { RawEntity } from '../entities/read-entity.ts';
import type { EntityCursor, Rows } from '../entities/row-reader.ts';

/**
 * A list read at one point in time. MongoDB keeps a snapshot for some minutes; the rest of a list that takes longer is read as
 * of a later time, resuming after the last row.
 */
export class ResumedList implements EntityCursor {
  readonly #begin: (after: RawEntity | undefined) => EntityCursor;
  #open: EntityCursor;
  #last: RawEntity | undefined;

  /** `begin` reads the list after a row, or from the start. */
  constructor(begin: (after: RawEntity | undefined) => EntityCursor) {
    this.#begin = begin;
    this.#open = begin(undefined);
  }

  async read(count: number): Promise<Rows> {
    const rows = await this.#open.read(count).catch((error) => {
      if (!lacksPointInTime(error)) throw error;
      this.#open = this.#begin(this.#last);
      return this.#open.read(count);
    });
    this.#last = rows.nodes.at(-1) ?? this.#last;
    return rows;
  }

  close(): Promise<void> {
    return this.#open.close();
  }
}
