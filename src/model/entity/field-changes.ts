import { isObject, type Json, type JsonObject, pointer, sameJson } from '../json.ts';

/** How one field of a body differs from the version before. */
export interface FieldChange {
  /** A JSON Pointer into the body. */
  readonly path: string;
  /** Undefined where the field was added. */
  readonly before: Json | undefined;
  /** Undefined where the field was removed. */
  readonly after: Json | undefined;
}

/**
 * What is different between two bodies, field by field, in the order of the fields: objects and lists are looked into, so
 * that each change names the innermost field. An object or list that came or went is one change.
 */
export function fieldChanges(before: JsonObject | undefined, after: JsonObject): FieldChange[] {
  const changes: FieldChange[] = [];
  compare(before ?? {}, after, [], changes);
  return changes;
}

function compare(
  before: Json | undefined,
  after: Json | undefined,
  path: readonly (string | number)[],
  changes: FieldChange[],
): void {
  if (sameJson(before, after)) return;
  if (isObject(before) && isObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(memberOf(before, name), memberOf(after, name), [...path, name], changes);
    }
  } else if (Array.isArray(before) && Array.isArray(after)) {
    for (let i = 0; i < Math.max(before.length, after.length); i++) compare(before[i], after[i], [...path, i], changes);
  } else changes.push({ path: pointer(path), before, after });
}

const memberOf = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;
