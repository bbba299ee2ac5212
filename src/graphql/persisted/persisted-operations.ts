import { createHash } from 'node:crypto';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../config.ts';
import type { Context } from '../../context.ts';
import { isObject } from '../../model/json.ts';
import { requestError } from '../request-error.ts';

/** Whether operations may be sent by hash (`automatic`), must be registered (`only`), or neither. */
type PersistedMode = Config['graphql']['persistedOperations'];

/** The operator's documents, by id. */
export type TrustedDocuments = ReadonlyMap<string, string>;

const NOT_ITS_HASH = 'The hash is not the SHA-256 of the query.';
const NOT_ITS_ID =
  'The documentId is not that of the query: neither an id under which the operator gave the same text, nor its SHA-256. Send one of the two alone.';

/** The parts of a request that name its operation. */
interface OperationParams {
  readonly query?: unknown;
  readonly documentId?: unknown;
  readonly extensions?: unknown;
}

/** The maximum total length, in characters, of the operations that clients registered by hash in a process. */
const REMEMBERED = 10_000_000;

/** The hash that names an operation: SHA-256 of its text, in hexadecimal. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Operations sent by name instead of text: by `extensions.persistedQuery.sha256Hash` (Apollo's protocol) or by
 * `documentId`. Registrations by clients are cached only in this process; the protocol expects them to be lost.
 */
export class PersistedOperations {
  readonly #mode: PersistedMode;
  readonly #trusted: TrustedDocuments;
  readonly #texts: ReadonlySet<string>;
  readonly #registered = new LRUCache<string, string>({
    maxSize: REMEMBERED,
    sizeCalculation: (text) => text.length + 1,
  });

  constructor(mode: PersistedMode, trusted: TrustedDocuments = new Map()) {
    this.#mode = mode;
    this.#trusted = trusted;
    this.#texts = new Set(trusted.values());
  }

  /** The text to execute; undefined if the request has none. Throws if it is unknown or not allowed. */
  textOf({ query, documentId, extensions }: OperationParams): string | undefined {
    const text = typeof query === 'string' ? query : undefined;
    const id = idOf(documentId, extensions);
    if (id === undefined) return this.#mode === 'only' && text !== undefined ? this.#allowed(text) : text;
    if (this.#mode === 'off') throw requestError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
    if (text === undefined) return this.#find(id);
    if (this.#trusted.get(id) === text) return text;
    if (hashOf(text) !== id) throw requestError('BAD_USER_INPUT', documentId == null ? NOT_ITS_HASH : NOT_ITS_ID);
    if (this.#mode === 'only') return this.#allowed(text);
    this.#registered.set(id, text);
    return text;
  }

  #find(id: string): string {
    const text = this.#trusted.get(id) ?? this.#registered.get(id);
    if (text === undefined) throw requestError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    return text;
  }

  /** Whether the text is exactly one of the operator's documents. */
  #allowed(text: string): string {
    if (this.#texts.has(text)) return text;
    throw requestError(
      'OPERATION_NOT_ALLOWED',
      'This service runs only the operations that its operator gave it. Send one of those, by its id.',
    );
  }
}

/** The id in a request, without the prefix for the algorithm. */
function idOf(documentId: unknown, extensions: unknown): string | undefined {
  const persisted = isObject(extensions) ? extensions.persistedQuery : undefined;
  const id = documentId ?? (isObject(persisted) ? persisted.sha256Hash : undefined);
  return typeof id === 'string' ? id.replace(/^sha256:/, '') : undefined;
}

/** Replaces the id of an operation with its text, for requests that Yoga parses. */
export function namedOperations(persisted: PersistedOperations): Plugin<Context> {
  return {
    onParams({ params, setParams }) {
      const query = persisted.textOf(params);
      if (query !== undefined && query !== params.query) setParams({ ...params, query });
    },
  };
}
