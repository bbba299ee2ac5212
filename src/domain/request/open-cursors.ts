import type { FindCursor } from 'mongodb';
import type { Entity } from '../../model/entity/entity.ts';

/** A list that was read up to a place, with the row that was read ahead. */
export interface HeldCursor {
  readonly cursor: FindCursor<Entity>;
  readonly ahead: Entity;
}

/** The lists of one request that may go on: reading a list page by page then costs one query, not one a page. */
export class HeldCursors {
  readonly #held = new Map<string, HeldCursor>();

  hold(place: string, held: HeldCursor): void {
    this.#held.set(place, held);
  }

  /** Hands the list over to the page that goes on with it. */
  take(place: string): HeldCursor | undefined {
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
