import { createHash } from 'node:crypto';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../config.ts';
import type { Context } from '../../context.ts';
import { isObject } from '../../model/json.ts';
import { requestError } from '../request-error.ts';

/** Whether operations may be sent by their hash alone (`automatic`), must be known beforehand (`only`), or neither. */
export type PersistedMode = Config['graphql']['persistedOperations'];

/** The operations that the operator gave, by their ids. */
export type TrustedDocuments = ReadonlyMap<string, string>;

/** The parts of a request that name its operation. */
export interface OperationParams {
  readonly query?: unknown;
  readonly documentId?: unknown;
  readonly extensions?: unknown;
}

/** Characters of all operations that a process remembers because a client sent them with their hash. */
const REMEMBERED = 10_000_000;

/** The hash that names an operation: SHA-256 of its text, in hexadecimal. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Operations that are named instead of sent: by `extensions.persistedQuery.sha256Hash` (Apollo's protocol) or by
 * `documentId`. What clients register is remembered by this process alone, since the protocol expects it to be forgotten.
 */
export class PersistedOperations {
  readonly #mode: PersistedMode;
  readonly #trusted: TrustedDocuments;
  readonly #texts: ReadonlySet<string>;
  readonly #registered = new LRUCache<string, string>({ maxSize: REMEMBERED, sizeCalculation: (text) => text.length });

  constructor(mode: PersistedMode, trusted: TrustedDocuments = new Map()) {
    this.#mode = mode;
    this.#trusted = trusted;
    this.#texts = new Set(trusted.values());
  }

  /** The text to run; undefined when the request holds none, and an error when it may not run or is not known. */
  textOf({ query, documentId, extensions }: OperationParams): string | undefined {
    const text = typeof query === 'string' ? query : undefined;
    const id = idOf(documentId, extensions);
    if (id === undefined) return this.#mode === 'only' && text !== undefined ? this.#allowed(text) : text;
    if (this.#mode === 'off') throw requestError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
    if (text === undefined) return this.#find(id);
    if (hashOf(text) !== id) throw requestError('BAD_USER_INPUT', 'The hash is not the SHA-256 of the query.');
    if (this.#mode === 'only') return this.#allowed(text);
    this.#registered.set(id, text);
    return text;
  }

  #find(id: string): string {
    const text = this.#trusted.get(id) ?? this.#registered.get(id);
    if (text === undefined) throw requestError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    return text;
  }

  /** Letter for letter one of those that the operator gave. */
  #allowed(text: string): string {
    if (this.#texts.has(text)) return text;
    throw requestError(
      'OPERATION_NOT_ALLOWED',
      'This service runs only the operations that its operator gave it. Send one of those, by its id.',
    );
  }
}

/** The id that a request names, without the name of the algorithm in front. */
function idOf(documentId: unknown, extensions: unknown): string | undefined {
  const persisted = isObject(extensions) ? extensions.persistedQuery : undefined;
  const id = documentId ?? (isObject(persisted) ? persisted.sha256Hash : undefined);
  return typeof id === 'string' ? id.replace(/^sha256:/, '') : undefined;
}

/** Puts the text of an operation in the place of its name, for requests that Yoga itself reads. */
export function namedOperations(persisted: PersistedOperations): Plugin<Context> {
  return {
    onParams({ params, setParams }) {
      const query = persisted.textOf(params);
      if (query !== undefined && query !== params.query) setParams({ ...params, query });
    },
  };
}
