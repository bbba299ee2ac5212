import { type Json, type JsonObject, sameJson } from '../json.ts';
import type { KeyedField } from './fields.ts';

/** The fields that a body has under both names with different values (rejected, contract §5). */
export const contradictoryAliases = (fields: readonly KeyedField[], body: JsonObject): KeyedField[] =>
  fields.filter(
    ({ name, alias }) => alias !== undefined && name in body && alias in body && !sameJson(body[name], body[alias]),
  );

/** The body without the fields that a patch sets under their other name (contract §5). */
export function withoutReplaced(fields: readonly KeyedField[], body: JsonObject, patch: JsonObject): JsonObject {
  const kept: Record<string, Json> = { ...body };
  for (const { name, alias } of fields) {
    if (alias === undefined) continue;
    if (name in patch) delete kept[alias];
    if (alias in patch) delete kept[name];
  }
  return kept;
}
