import { hash } from 'node:crypto';
import { invalidInput } from '../../errors.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { isObject } from '../../model/json.ts';
import type { Comparable, Order } from '../../store/entities/query.ts';

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

/** The values of a cursor; INVALID_INPUT for a cursor of another list, or a forged one. */
export function parseCursor(
  signature: string,
  order: readonly Order[],
  [parameter, cursor]: readonly ['after' | 'before', string],
): readonly Comparable[] {
  const { made, values } = readCursor(order, [parameter, cursor]);
  if (made === signature) return values;
  throw notOfThisList(parameter);
}

/** Throws INVALID_INPUT for a cursor that cannot belong to any list in that order. */
export const checkCursor = (order: readonly Order[], given: readonly ['after' | 'before', string]): void =>
  void readCursor(order, given);

function readCursor(order: readonly Order[], [parameter, cursor]: readonly ['after' | 'before', string]) {
  checkLength([parameter, cursor], order.length);
  const [made, ...values] = parsed(cursor);
  const read = values.map(comparable).filter((value) => value !== undefined);
  if (read.length === order.length) return { made, values: read };
  throw notOfThisList(parameter);
}

/** The cursor of a row in a list ordered by id alone. */
export const writeMark = (signature: string, id: string): string =>
  Buffer.from(JSON.stringify([signature, id])).toString('base64url');

/** The id in such a cursor; INVALID_INPUT for a cursor of another list, or a forged one. */
export function parseMark(signature: string, [parameter, mark]: readonly ['after' | 'before', string]): string {
  checkLength([parameter, mark], 1);
  const [made, id] = parsed(mark);
  if (made === signature && typeof id === 'string') return id;
  throw notOfThisList(parameter);
}

/** The most characters that cursors may take up in a query, which repeats them for each sort key. */
const MAX_REPEATED = 9_000_000;

function checkLength([parameter, cursor]: readonly [string, string], steps: number): void {
  const most = Math.floor(MAX_REPEATED / (steps + 1));
  if (cursor.length > most) throw invalidInput([{ parameter, message: `may have at most ${most} characters.` }]);
}

const notOfThisList = (parameter: string) =>
  invalidInput([
    { parameter, message: 'is not a cursor of this list: filters and order must stay the same from page to page.' },
  ]);

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
