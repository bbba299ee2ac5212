import { instantOf } from '../instant.ts';
import { type Json, type JsonObject, sameJson } from '../json.ts';
import type { KeyedField } from './fields.ts';

/** The comparable values beside a body: datetimes as instants, fields with two spellings under their one name. */
export function keysOf(fields: readonly KeyedField[], body: JsonObject): Record<string, Date | Json> {
  const keys: Record<string, Date | Json> = {};
  for (const { name, alias, datetime } of fields) {
    const value = body[name] ?? (alias === undefined ? undefined : body[alias]);
    if (value === undefined || value === null) continue;
    const key = datetime && typeof value === 'string' ? instantOf(value) : value;
    if (key !== undefined) keys[name] = key;
  }
  return keys;
}

/** The names of fields that a body gives in both spellings with different values (contract §5: refused). */
export const contradictions = (fields: readonly KeyedField[], body: JsonObject): KeyedField[] =>
  fields.filter(
    ({ name, alias }) => alias !== undefined && name in body && alias in body && !sameJson(body[name], body[alias]),
  );

/** The body without those spellings that a patch replaces by the other one (contract §5). */
export function withoutReplaced(fields: readonly KeyedField[], body: JsonObject, patch: JsonObject): JsonObject {
  const kept: Record<string, Json> = { ...body };
  for (const { name, alias } of fields) {
    if (alias === undefined) continue;
    if (name in patch) delete kept[alias];
    if (alias in patch) delete kept[name];
  }
  return kept;
}
