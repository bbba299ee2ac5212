import type { EntityCursor } from '../../store/entities/row-reader.ts';

/**
 * The lists of one request that may go on: reading a list page by page then costs one query, not one a page. There is one for each
 * place, and none that outlives the request: what is held in vain is closed.
 */
export class OpenCursors {
  /** Undefined until there is one: most requests hold none. */
  #held: Map<string, EntityCursor> | undefined;
  #isOver = false;

  /** Whether one that is held may be gone on with. */
  get areKept(): boolean {
    return !this.#isOver;
  }

  hold(place: string, held: EntityCursor): void {
    if (this.#isOver) return void held.close();
    this.#held ??= new Map();
    void this.#held.get(place)?.close();
    this.#held.set(place, held);
  }

  /** Hands the list over to the page that goes on with it. */
  take(place: string): EntityCursor | undefined {
    const held = this.#held?.get(place);
    this.#held?.delete(place);
    return held;
  }

  /** Closes those that are held so far; undefined where there is nothing to wait for. */
  release(): Promise<unknown> | undefined {
    if (this.#held === undefined || this.#held.size === 0) return undefined;
    const open = [...this.#held.values()];
    this.#held.clear();
    return Promise.all(open.map((cursor) => cursor.close()));
  }

  /** Closes all of them, at the end of the request, and any that its reads still bring. */
  close(): Promise<unknown> | undefined {
    this.#isOver = true;
    return this.release();
  }
}
