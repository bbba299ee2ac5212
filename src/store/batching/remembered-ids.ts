import { LRUCache } from 'lru-cache';

/** The most ids of one question, and of all of them: some 60 bytes each. */
const MOST_IDS = 100;
const ALL_IDS = 50_000;
/** The longest question; the text of one counts as so many ids as would fit into it. */
const MOST_CHARACTERS = 2_000;
const CHARACTERS_OF_ID = 36;

/**
 * The ids that the last answer to a question needed. The next one may need others: whoever reads these ahead saves a wait if they are
 * the same, and has read some for nothing if not.
 */
export class RememberedIds {
  readonly #ids = new LRUCache<string, readonly string[]>({
    maxSize: ALL_IDS,
    sizeCalculation: (ids, question) => ids.length + Math.ceil(question.length / CHARACTERS_OF_ID),
  });

  of(question: string): readonly string[] | undefined {
    return this.#ids.get(question);
  }

  remember(question: string, ids: readonly string[]): void {
    const fits = ids.length > 0 && ids.length <= MOST_IDS && question.length <= MOST_CHARACTERS;
    if (fits) this.#ids.set(question, ids);
  }
}
