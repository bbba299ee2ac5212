import { LRUCache } from 'lru-cache';

/** The most ids per question, and in total: some 60 bytes each. */
const MOST_IDS = 100;
const ALL_IDS = 50_000;
/** The longest question, including its tenant; its text counts as the number of ids that would fit into it. */
const MOST_CHARACTERS = 2_000;
const CHARACTERS_OF_ID = 36;

/**
 * The ids that the last answer to a tenant's question needed. The next answer may need others: prefetching these saves a wait if
 * they are the same, and is wasted if not.
 */
export class RememberedIds {
  readonly #ids = new LRUCache<string, readonly string[]>({
    maxSize: ALL_IDS,
    sizeCalculation: (ids, key) => ids.length + Math.ceil(key.length / CHARACTERS_OF_ID),
  });

  of(tenant: string, question: string): readonly string[] | undefined {
    return this.#ids.get(keyOf(tenant, question));
  }

  remember(tenant: string, question: string, ids: readonly string[]): void {
    const key = keyOf(tenant, question);
    const fits = ids.length > 0 && ids.length <= MOST_IDS && key.length <= MOST_CHARACTERS;
    if (fits) this.#ids.set(key, ids);
  }
}

/** A tenant id is a UUID, so it ends at the space. */
const keyOf = (tenant: string, question: string): string => `${tenant} ${question}`;
