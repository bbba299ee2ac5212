import { LRUCache } from 'lru-cache';
import type { Condition } from '../entities/query.ts';

/** The most characters to cache for one filter and for all of them. */
const MOST_CHARACTERS = 4_000;
const ALL_CHARACTERS = 4_000_000;

/** The resolved form of a filter through other entities. */
interface RememberedFilter {
  readonly conditions: readonly Condition[];
  readonly text: string;
}

/**
 * A cache of resolved filters through other entities, such as the location with a name. Entries may be stale: a caller that uses
 * one must resolve the filter at the same time and discard what it read if the entry was wrong.
 */
export class RememberedFilters {
  readonly #filters = new LRUCache<string, RememberedFilter>({
    maxSize: ALL_CHARACTERS,
    sizeCalculation: ({ text }, asked) => text.length + asked.length,
  });

  of(asked: string): RememberedFilter | undefined {
    return this.#filters.get(asked);
  }

  remember(asked: string, filter: RememberedFilter): void {
    if (asked.length + filter.text.length <= MOST_CHARACTERS) this.#filters.set(asked, filter);
  }
}
