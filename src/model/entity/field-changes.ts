import { isObject, type Json, type JsonObject, pointer } from '../json.ts';

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

/** Walks two values that are not identical, in one pass; the path is a single array that grows and shrinks on the way. */
function compare(
  before: Json | undefined,
  after: Json | undefined,
  path: (string | number)[],
  changes: FieldChange[],
): void {
  if (isObject(before) && isObject(after)) {
    for (const name of Object.keys(before)) below(name, before[name], memberOf(after, name), path, changes);
    for (const name of Object.keys(after)) {
      if (!Object.hasOwn(before, name)) below(name, undefined, after[name], path, changes);
    }
  } else if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    for (let index = 0; index < length; index++) below(index, before[index], after[index], path, changes);
  } else changes.push({ path: pointer(path), before, after });
}

function below(
  step: string | number,
  before: Json | undefined,
  after: Json | undefined,
  path: (string | number)[],
  changes: FieldChange[],
): void {
  if (before === after) return;
  path.push(step);
  compare(before, after, path, changes);
  path.pop();
}

const memberOf = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;
