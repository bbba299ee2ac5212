import type { Entity } from '../../model/entity/entity.ts';
import type { EntityCursor } from '../../store/entities/entity-collection.ts';

/** A list that was read up to a place, with the row that was read ahead. */
export interface OpenCursor {
  readonly cursor: EntityCursor;
  readonly ahead: Entity;
}

/** The lists of one request that may go on: reading a list page by page then costs one query, not one a page. */
export class OpenCursors {
  readonly #held = new Map<string, OpenCursor>();

  hold(place: string, held: OpenCursor): void {
    this.#held.set(place, held);
  }

  /** Hands the list over to the page that goes on with it. */
  take(place: string): OpenCursor | undefined {
    const held = this.#held.get(place);
    this.#held.delete(place);
    return held;
  }

  async close(): Promise<void> {
    const open = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(open.map(({ cursor }) => cursor.close()));
  }
}
