import { instantOf } from '../instant.ts';
import { type Json, type JsonObject, sameJson } from '../json.ts';
import type { KeyedField } from './fields.ts';

/** The comparable values of a body, by field name. */
export type Keys = Readonly<Record<string, Date | Json>>;

/** The comparable values of a body: datetimes as instants, a field and its alias under the name of the field. */
export function keysOf(fields: readonly KeyedField[], body: JsonObject): Keys {
  const keys: Record<string, Date | Json> = {};
  for (const { name, alias, datetime } of fields) {
    const value = body[name] ?? (alias === undefined ? undefined : body[alias]);
    if (value === undefined || value === null) continue;
    const key = datetime && typeof value === 'string' ? instantOf(value) : value;
    if (key !== undefined) keys[name] = key;
  }
  return keys;
}

/** Whether two bodies have the same comparable values. */
export function sameKeys(some: Keys, others: Keys): boolean {
  const names = Object.keys(some);
  return names.length === Object.keys(others).length && names.every((name) => sameKey(some[name], others[name]));
}

const sameKey = (one: Date | Json | undefined, other: Date | Json | undefined): boolean =>
  one instanceof Date || other instanceof Date
    ? one instanceof Date && other instanceof Date && one.getTime() === other.getTime()
    : sameJson(one, other);
