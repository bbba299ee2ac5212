import type { EntityCursor } from '../../store/entities/row-reader.ts';

/** The lists of one request that may go on: reading a list page by page then costs one query, not one a page. */
export class OpenCursors {
  /** Undefined until there is one: most requests hold none. */
  #held: Map<string, EntityCursor> | undefined;

  hold(place: string, held: EntityCursor): void {
    this.#held ??= new Map();
    this.#held.set(place, held);
  }

  /** Hands the list over to the page that goes on with it. */
  take(place: string): EntityCursor | undefined {
    const held = this.#held?.get(place);
    this.#held?.delete(place);
    return held;
  }

  /** Undefined where there is nothing to wait for. */
  close(): Promise<unknown> | undefined {
    if (this.#held === undefined || this.#held.size === 0) return undefined;
    const open = [...this.#held.values()];
    this.#held.clear();
    return Promise.all(open.map((cursor) => cursor.close()));
  }
}
