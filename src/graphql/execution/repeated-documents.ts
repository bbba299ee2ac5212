import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** The maximum cached documents, and tokens in all of them: a token takes up to half a kilobyte, as do CHARACTERS_OF_TOKEN. */
const DOCUMENTS = 500;
const TOKENS = 200_000;
const CHARACTERS_OF_TOKEN = 250;
/** The maximum tokens of one document. */
const TOKENS_OF_ONE = 10_000;
/** How many characters of texts seen once are remembered. */
const SEEN_CHARACTERS = 1_000_000;

/**
 * Caches parsed documents by text, each from the second time it is sent. Most documents sent once never come again; caching
 * them would waste memory, and let a client fill it on purpose.
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

  /** The document of a text, if cached. */
  get(text: string): DocumentNode | undefined {
    return this.#documents.get(text);
  }

  /** Caches the document of a text seen before. */
  set(text: string, document: DocumentNode): void {
    if (!this.#seen.has(text)) {
      this.#seen.set(text, true);
      return;
    }
    this.#documents.set(text, document);
    if (this.#documents.has(text)) this.#repeated.add(document);
  }

  /** Whether a document was cached, so that compiling it pays off. */
  has(document: DocumentNode): boolean {
    return this.#repeated.has(document);
  }
}
