import type { Scope, Viewer } from '../../auth/viewer.ts';
import { forbidden, timedOut } from '../../errors.ts';
import type { TimeLimit } from '../../store/entities/query.ts';
import type { Stores } from '../../store/stores.ts';
import type { ClockAndIds } from './clock-and-ids.ts';
import { OpenCursors } from './open-cursors.ts';

/** One viewer's access to the stores; every read and write passes the scope check here, and only here. */
export class RequestContext {
  readonly viewer: Viewer;
  readonly sources: ClockAndIds;
  readonly cursors = new OpenCursors();
  readonly #stores: Stores;
  #deadline = Number.POSITIVE_INFINITY;

  constructor(viewer: Viewer, stores: Stores, sources: ClockAndIds) {
    this.viewer = viewer;
    this.#stores = stores;
    this.sources = sources;
  }

  get tenant(): string {
    return this.viewer.tenant;
  }

  /** Sets the time limit of further reads, in milliseconds. */
  limitTime(ms: number): void {
    this.#deadline = performance.now() + ms;
  }

  /** So many milliseconds were spent waiting for something to happen, and do not count. */
  notCounting(ms: number): void {
    this.#deadline += ms;
  }

  /** The MongoDB options for reads that can be long; TIMED_OUT if no time is left. */
  get time(): TimeLimit {
    if (this.#deadline === Number.POSITIVE_INFINITY) return {};
    const left = Math.ceil(this.#deadline - performance.now());
    if (left <= 0) throw timedOut();
    return { maxTimeMS: left };
  }

  /** The stores for reading; FORBIDDEN without the scope `read`. */
  readStores(): Stores {
    if (performance.now() > this.#deadline) throw timedOut();
    return this.#with('read');
  }

  /** The stores for changing; FORBIDDEN without the scope `write`. */
  writeStores(): Stores {
    return this.#with('write');
  }

  /** The stores for completing the answer to what a scope check let through already. */
  unscopedStores(): Stores {
    if (performance.now() > this.#deadline) throw timedOut();
    return this.#stores;
  }

  #with(scope: Scope): Stores {
    if (!this.viewer.scopes.has(scope)) {
      throw forbidden(`This key may not ${scope}: its scopes are ${[...this.viewer.scopes].join(', ') || 'none'}.`);
    }
    return this.#stores;
  }
}
