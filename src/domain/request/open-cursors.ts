import type { StepsAtOneTime } from '../../store/connection/snapshot-reads.ts';
import type { EntityCursor } from '../../store/entities/row-reader.ts';

/**
 * The open cursors of one request: reading a list page by page then costs one query in all, not one per page. There is one for each
 * position, and none outlives the request: unused cursors are closed.
 */
export class OpenCursors {
  /** Undefined until there is one: most requests have none. */
  #held: Map<string, EntityCursor> | undefined;
  #steps: StepsAtOneTime | undefined;
  #isOver = false;

  /** Whether cursors are kept for further pages. */
  get areKept(): boolean {
    return !this.#isOver;
  }

  /** The steps that all reads of lists belong to; undefined if each has its own point in time. */
  get steps(): StepsAtOneTime | undefined {
    return this.#steps;
  }

  /** From now on, all reads of lists see one point in time. */
  readAtOneTime(steps: StepsAtOneTime): void {
    if (this.areKept) this.#steps ??= steps;
  }

  hold(place: string, held: EntityCursor): void {
    if (this.#isOver) return void held.close();
    this.#held ??= new Map();
    void this.#held.get(place)?.close();
    this.#held.set(place, held);
  }

  /** Hands the cursor over to the page that continues it. */
  take(place: string): EntityCursor | undefined {
    const held = this.#held?.get(place);
    this.#held?.delete(place);
    return held;
  }

  /** Closes the cursors held so far, and forgets the point in time; undefined if there is nothing to wait for. */
  release(): Promise<unknown> | undefined {
    const steps = this.#steps;
    this.#steps = undefined;
    const ended = steps?.end();
    if (this.#held === undefined || this.#held.size === 0) return ended;
    const open = [...this.#held.values()];
    this.#held.clear();
    return Promise.all([ended, ...open.map((cursor) => cursor.close())]);
  }

  /** Closes all cursors at the end of the request, and any that pending reads still add. */
  close(): Promise<unknown> | undefined {
    this.#isOver = true;
    return this.release();
  }
}
