import { LRUCache } from 'lru-cache';
import type { Condition } from '../entities/query.ts';

/** The most characters that are remembered of one filter and of all of them. */
const MOST_CHARACTERS = 4_000;
const ALL_CHARACTERS = 4_000_000;

/** What a filter through other entities came to. */
export interface RememberedFilter {
  readonly conditions: readonly Condition[];
  readonly text: string;
}

/**
 * What filters through other entities came to lately, such as the location of a name. They may come to something else by now: whoever
 * goes by it has to look at the same time, and takes nothing that was read by it if it was wrong.
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
