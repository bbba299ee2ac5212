import type { RawEntity } from '../entities/read-entity.ts';
import type { EntityCursor, Rows } from '../entities/row-reader.ts';

/** Reads the parts of a list. */
export interface PartReader {
  /** Some rows: the first, or those after the last row of the part before. */
  read(count: number, after: RawEntity | undefined): Promise<Rows>;
  close(): Promise<void>;
}

/** A list read in parts, of which each begins after the last row of the one before. */
export class ListInParts implements EntityCursor {
  readonly #parts: PartReader;
  #last: RawEntity | undefined;

  constructor(parts: PartReader) {
    this.#parts = parts;
  }

  async read(count: number): Promise<Rows> {
    const rows = await this.#parts.read(count, this.#last);
    this.#last = rows.nodes.at(-1) ?? this.#last;
    return rows;
  }

  close(): Promise<void> {
    return this.#parts.close();
  }
}
