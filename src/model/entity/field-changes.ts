import { isObject, type Json, type JsonObject, pointer, sameJson } from '../json.ts';

/** The change of one field of a body from the previous version. */
export interface FieldChange {
  /** A JSON Pointer into the body. */
  readonly path: string;
  /** Undefined if the field was added. */
  readonly before: Json | undefined;
  /** Undefined if the field was removed. */
  readonly after: Json | undefined;
}

/**
 * The differences between two bodies, in the order of the fields; objects and lists are compared recursively, so that
 * each change names the innermost field. An object or list that was added or removed is one change.
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
