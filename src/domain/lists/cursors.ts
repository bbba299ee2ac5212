import { hash } from 'node:crypto';
import { invalidInput, type Violation } from '../../errors.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { isObject } from '../../model/json.ts';
import type { Comparable, Order } from '../../store/entities/query.ts';

/** A cursor, and the argument that has it. */
type GivenCursor = readonly [parameter: 'after' | 'before', cursor: string];

/** The fingerprint of a list, derived from all its arguments. */
export const signatureOf = (asked: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(asked), 'base64url').slice(0, 12);

/** The cursor of a row: the list's signature, and the row's values of the sort keys. */
export function writeCursor(signature: string, order: readonly Order[], node: Entity): string {
  const values = order.map(({ stored }) => {
    const value = node.stored(stored) ?? null;
    return value instanceof Date ? { at: value.getTime() } : value;
  });
  return Buffer.from(JSON.stringify([signature, ...values])).toString('base64url');
}

/** The values of a cursor that is well-formed; INVALID_INPUT for a cursor of another list, or a forged one. */
export function parseCursor(signature: string, given: GivenCursor): readonly Comparable[] {
  const [made, ...values] = parsed(given[1]);
  if (made === signature) return values.map(comparable).filter((value) => value !== undefined);
  throw notOfThisList(given);
}

/**
 * What is wrong with cursors for any list with an order of that many steps, whatever its filters; for an invalid order, the steps are
 * undefined.
 */
export function cursorViolations(
  cursors: { readonly after?: string | null | undefined; readonly before?: string | null | undefined },
  steps: number | undefined,
): Violation[] {
  return Object.entries(cursors).flatMap(([parameter, cursor]) => {
    const message = cursor ? faultOf(cursor, steps) : undefined;
    return message === undefined ? [] : [{ parameter, message }];
  });
}

function faultOf(cursor: string, steps: number | undefined): string | undefined {
  const most = Math.floor(MAX_REPEATED / ((steps ?? 0) + 1));
  if (cursor.length > most) return `may have at most ${most} characters.`;
  const [, ...values] = parsed(cursor);
  const isPlace = values.length > 0 && values.every((value) => comparable(value) !== undefined);
  return isPlace && values.length === (steps ?? values.length) ? undefined : NOT_OF_THIS_LIST;
}

/** The cursor of a row in a list ordered by id alone. */
export const writeMark = (signature: string, id: string): string =>
  Buffer.from(JSON.stringify([signature, id])).toString('base64url');

/** The id in such a cursor that is well-formed; INVALID_INPUT for a cursor of another list, or a forged one. */
export function parseMark(signature: string, given: GivenCursor): string {
  const [id] = parseCursor(signature, given);
  if (typeof id === 'string') return id;
  throw notOfThisList(given);
}

/** The most characters that cursors may take up in a query, which repeats them for each sort key. */
const MAX_REPEATED = 9_000_000;

const NOT_OF_THIS_LIST = 'is not a cursor of this list: filters and order must stay the same from page to page.';

const notOfThisList = ([parameter]: GivenCursor) => invalidInput([{ parameter, message: NOT_OF_THIS_LIST }]);

function parsed(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function comparable(value: unknown): Comparable | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return value;
  }
  const date = isObject(value) && typeof value.at === 'number' ? new Date(value.at) : undefined;
  return date && !Number.isNaN(date.getTime()) ? date : undefined;
}
