import { VIOLATIONS_SOUGHT, type Violation } from '../errors.ts';

/** The parameters of a query string in the order of their first appearance, each with all of its values. */
export type Query = ReadonlyMap<string, readonly string[]>;

const EMPTY: Query = new Map();

/** The error for a part of an address that cannot be decoded. */
export const BROKEN_ENCODING =
  'has a broken percent-encoding (% needs two hexadecimal digits, and the bytes must be UTF-8).';

/** Parses a query string; invalid percent-encoding becomes a violation, and parsing stops after very many of them. */
export function parseQuery(text: string, violations: Violation[]): Query {
  if (text === '') return EMPTY;
  const query = new Map<string, string[]>();
  for (const part of text.split('&')) {
    if (part === '') continue;
    if (violations.length >= VIOLATIONS_SOUGHT) return query;
    const equals = part.indexOf('=');
    const name = decoded(equals === -1 ? part : part.slice(0, equals));
    const value = decoded(equals === -1 ? '' : part.slice(equals + 1));
    if (name === undefined || value === undefined) {
      violations.push({
        parameter: name ?? part.slice(0, 100),
        message: BROKEN_ENCODING,
      });
      continue;
    }
    const values = query.get(name);
    if (values) values.push(value);
    else query.set(name, [value]);
  }
  return query;
}

const decoded = (text: string): string | undefined =>
  percentDecoded(text.includes('+') ? text.replaceAll('+', ' ') : text);

/** A part of an address without its percent-encoding; undefined if that is broken. */
export function percentDecoded(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The value of a parameter that may be given once; undefined if absent, a violation if repeated. */
export function singleValue(query: Query, name: string, violations: Violation[]): string | undefined {
  const values = query.get(name);
  if (values === undefined) return undefined;
  if (values.length > 1)
    violations.push({ parameter: name, message: `is given ${values.length} times; once is allowed.` });
  return values[0];
}

/** The maximum of GraphQL's Int. */
export const MAX_INT = 2_147_483_647;

/** An integer between `least` and `most` (2147483647). */
export function wholeNumber(
  query: Query,
  name: string,
  { least, most = MAX_INT }: { readonly least: number; readonly most?: number },
  violations: Violation[],
): number | undefined {
  const text = singleValue(query, name, violations);
  if (text === undefined) return undefined;
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  violations.push({ parameter: name, message: `must be a whole number from ${least} to ${most}.` });
  return undefined;
}

/** A JSON array of at most `most` texts. */
export function texts(
  query: Query,
  name: string,
  most: number,
  violations: Violation[],
): readonly string[] | undefined {
  const text = singleValue(query, name, violations);
  if (text === undefined) return undefined;
  const list = parsed(text);
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string')) {
    violations.push({ parameter: name, message: 'must be a JSON array of strings, such as ["A1","B2"].' });
  } else if (list.length > most) {
    violations.push({ parameter: name, message: `must have at most ${most} strings; it has ${list.length}.` });
  } else return list;
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One entry of `sort`, as a GraphQL SortField. */
interface SortField {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

/** Parses `field:asc,other:desc`; a bare field means asc. */
export function sortFields(query: Query, violations: Violation[]): SortField[] | undefined {
  const text = singleValue(query, 'sort', violations)?.trim();
  if (text === undefined) return undefined;
  return text.split(',').flatMap((part) => {
    const item = part.trim();
    const colon = item.lastIndexOf(':');
    const field = colon === -1 ? item : item.slice(0, colon).trim();
    const direction = colon === -1 ? 'asc' : item.slice(colon + 1).trim();
    if (field === '')
      violations.push({
        parameter: 'sort',
        message: 'has an empty entry; write field:asc or field:desc, separated by commas.',
      });
    const isKnown = direction === 'asc' || direction === 'desc';
    if (!isKnown) violations.push({ parameter: 'sort', message: `${JSON.stringify(item)} must end in :asc or :desc.` });
    return field === '' ? [] : { field, direction: isKnown ? direction : 'asc' };
  });
}
