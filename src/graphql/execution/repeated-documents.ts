import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** The most documents that are kept, and the most tokens of all of them: one takes up to half a kilobyte, as do so many characters. */
const DOCUMENTS = 500;
const TOKENS = 200_000;
const CHARACTERS_OF_TOKEN = 250;
/** The most that one document may take of these. */
const TOKENS_OF_ONE = 10_000;
/** How many characters of texts that came once are remembered. */
const SEEN_CHARACTERS = 1_000_000;

/**
 * Parsed documents by their texts, each from the second time that somebody sends it. Most of those that come once never come again; to
 * keep them would fill the memory with what nobody needs, and let a client fill it on purpose.
 */
export class RepeatedDocuments {
  readonly #seen = new LRUCache<string, true>({
    maxSize: SEEN_CHARACTERS,
    sizeCalculation: (_, text) => text.length + 1,
  });
  readonly #documents = new LRUCache<string, DocumentNode>({
    max: DOCUMENTS,
    maxSize: TOKENS,
    maxEntrySize: TOKENS_OF_ONE,
    sizeCalculation: ({ tokenCount = 0 }, text) => tokenCount + Math.ceil((text.length + 1) / CHARACTERS_OF_TOKEN),
  });
  readonly #repeated = new WeakSet<DocumentNode>();

  /** The document of a text, if it is kept. */
  get(text: string): DocumentNode | undefined {
    return this.#documents.get(text);
  }

  /** Keeps the document of a text that came before. */
  set(text: string, document: DocumentNode): void {
    if (!this.#seen.has(text)) {
      this.#seen.set(text, true);
      return;
    }
    this.#documents.set(text, document);
    if (this.#documents.has(text)) this.#repeated.add(document);
  }

  /** Whether a document was kept, so that it pays to compile it. */
  has(document: DocumentNode): boolean {
    return this.#repeated.has(document);
  }
}
