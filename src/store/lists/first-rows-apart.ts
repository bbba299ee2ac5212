import type { RawEntity } from '../entities/read-entity.ts';
import type { EntityCursor, Rows } from '../entities/row-reader.ts';
import type { PartReader } from './list-in-parts.ts';

/** Reads the first rows of a list, and the rest after a given row. */
interface Reads {
  first(count: number): Promise<Rows>;
  rest(after: RawEntity): EntityCursor;
}

/**
 * Reads the first rows of a list separately: the full read is slow to start, and few readers go past the first rows. The rest
 * is read as of a later time; a row that was among the first and has since moved is not repeated.
 */
export class FirstRowsApart implements PartReader {
  readonly #reads: Reads;
  #rest: EntityCursor | undefined;
  #first: ReadonlySet<string> = new Set();

  constructor(reads: Reads) {
    this.#reads = reads;
  }

  async read(count: number, after: RawEntity | undefined): Promise<Rows> {
    if (after) {
      this.#rest ??= this.#reads.rest(after);
      return this.#others(this.#rest, count);
    }
    const rows = await this.#reads.first(count);
    if (rows.hasMore) this.#first = new Set(rows.nodes.map(({ id }) => id));
    return rows;
  }

  /** The next rows of the rest that were not among the first: as many as requested, unless together they are too large. */
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
