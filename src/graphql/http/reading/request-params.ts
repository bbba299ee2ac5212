import { parseJson } from '../../../model/exact-json.ts';
import { isObject } from '../../../model/json.ts';
import { nestsTooDeeply } from '../../limits/document-limits-plugin.ts';

/** The GraphQL request in a body or a URL. */
export interface RequestParams {
  readonly query?: string | null;
  readonly documentId?: string | null;
  readonly extensions?: Readonly<Record<string, unknown>> | null;
  readonly operationName?: string | null;
  readonly variables?: Readonly<Record<string, unknown>> | null;
}

/** Parses JSON once; returns a function that returns its value, or throws its error, each time. */
export function readJson(text: string): () => unknown {
  try {
    const value = parseJson(text);
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The request in the body of a POST; undefined if Yoga must handle it. */
export function paramsOfBody(json: () => unknown): RequestParams | undefined {
  try {
    return checkedParams(json());
  } catch {
    return undefined;
  }
}

/** The request in the URL of a GET; undefined if Yoga must handle it. */
export function paramsOfAddress(url = ''): RequestParams | undefined {
  const given = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  try {
    const [variables, extensions] = [jsonIn(given, 'variables'), jsonIn(given, 'extensions')];
    return checkedParams({
      query: given.get('query'),
      documentId: given.get('documentId'),
      operationName: given.get('operationName'),
      variables,
      extensions,
    });
  } catch {
    return undefined;
  }
}

/** The value of a JSON parameter; null if absent. */
export const jsonIn = (given: URLSearchParams, name: string): unknown => parseJson(given.get(name) || 'null');

function checkedParams(value: unknown): RequestParams | undefined {
  if (!isObject(value)) return undefined;
  const { query, operationName, variables, documentId, extensions, ...more } = value;
  const plain =
    [query, operationName, documentId].every((one) => one === undefined || one === null || typeof one === 'string') &&
    [variables, extensions].every((one) => one === undefined || one === null || isObject(one)) &&
    Object.keys(more).length === 0;
  return plain && !nestsTooDeeply(variables) ? (value as unknown as RequestParams) : undefined;
}
