import type { RawEntity } from '../entities/read-entity.ts';
import type { EntityCursor, Rows } from '../entities/row-reader.ts';

/** Reads some rows, from the beginning of the list or after a row. */
type ReadSome = (count: number, after: RawEntity | undefined) => Promise<Rows>;

/** A list read in parts that each begin after the last row of the one before; `end` releases what they share. */
export class TiedList implements EntityCursor {
  readonly #read: ReadSome;
  readonly #end: () => Promise<void>;
  #last: RawEntity | undefined;

  constructor(read: ReadSome, end: () => Promise<void>) {
    this.#read = read;
    this.#end = end;
  }

  async read(count: number): Promise<Rows> {
    const rows = await this.#read(count, this.#last);
    this.#last = rows.nodes.at(-1) ?? this.#last;
    return rows;
  }

  close(): Promise<void> {
    return this.#end();
  }
}
