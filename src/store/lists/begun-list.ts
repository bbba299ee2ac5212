import type { RawEntity } from '../entities/read-entity.ts';
import type { EntityCursor, Rows } from '../entities/row-reader.ts';

/** How the first rows of a list are read, and the rest after one of them. */
interface Parts {
  first(count: number): Promise<Rows>;
  rest(after: RawEntity): EntityCursor;
}

/**
 * A list whose first rows are read by themselves: all of it takes longer to begin, and few who read the first rows go on. The rest is
 * as it is later: a row that was among the first, and has changed its place since, does not come again.
 */
export class BegunList implements EntityCursor {
  readonly #parts: Parts;
  #rest: EntityCursor | undefined;
  #last: RawEntity | undefined;
  #first: ReadonlySet<string> = new Set();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async read(count: number): Promise<Rows> {
    if (this.#last) {
      this.#rest ??= this.#parts.rest(this.#last);
      return this.#others(this.#rest, count);
    }
    const rows = await this.#parts.first(count);
    this.#last = rows.nodes.at(-1);
    if (rows.hasMore) this.#first = new Set(rows.nodes.map(({ id }) => id));
    return rows;
  }

  /** The next rows of the rest that were not among the first: as many as are asked for, unless they are too large together. */
  async #others(rest: EntityCursor, count: number): Promise<Rows> {
    const others: RawEntity[] = [];
    for (;;) {
      const wanted = count - others.length;
      const { nodes, hasMore } = await rest.read(wanted);
      others.push(...nodes.filter(({ id }) => !this.#first.has(id)));
      const isCut = nodes.length < wanted && others.length > 0;
      if (!hasMore || isCut || others.length === count) return { nodes: others, hasMore };
    }
  }

  async close(): Promise<void> {
    await this.#rest?.close();
  }
}
