import type { RawEntity } from '../entities/read-entity.ts';
import type { EntityCursor, Rows } from '../entities/row-reader.ts';

/** How the first rows of a list are read, and the rest after one of them. */
interface Parts {
  first(count: number): Promise<Rows>;
  rest(after: RawEntity): EntityCursor;
}

/** A list whose first rows are read by themselves: all of it takes longer to begin, and few who read the first rows go on. */
export class BegunList implements EntityCursor {
  readonly #parts: Parts;
  #rest: EntityCursor | undefined;
  #last: RawEntity | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async read(count: number): Promise<Rows> {
    if (this.#last) {
      this.#rest ??= this.#parts.rest(this.#last);
      return this.#rest.read(count);
    }
    const rows = await this.#parts.first(count);
    this.#last = rows.nodes.at(-1);
    return rows;
  }

  async close(): Promise<void> {
    await this.#rest?.close();
  }
}
