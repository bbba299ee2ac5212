import { throwIfInvalid, VIOLATIONS_SOUGHT, type Violation } from '../../errors.ts';
import { type JsonObject, mergePatch, pointer } from '../../model/json.ts';

/** How deep a body may nest (contract §4). */
const MAX_NESTING = 64;
/** The first three are JavaScript's own; the last makes MongoDB's driver take an object for one of its own values. */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype', '_bsontype']);

/** The error for a text that UTF-8 cannot represent. */
export const NOT_UNICODE = 'must be Unicode text: it contains half of a surrogate pair.';

/** The violations of a body of any type: forbidden names, excessive nesting, text that is not Unicode (contract §4). */
export function shapeViolations(value: unknown): Violation[] {
  const violations: Violation[] = [];
  walk(value, [], violations);
  return violations;
}

/**
 * The body with a JSON Merge Patch applied (RFC 7396); INVALID_INPUT if the patch contains something that no body may contain, even
 * if it would only remove it.
 */
export function patched(body: JsonObject, patch: JsonObject): JsonObject {
  const violations = shapeViolations(patch);
  throwIfInvalid(violations);
  return mergePatch(body, patch) as JsonObject;
}

function walk(value: unknown, path: (string | number)[], violations: Violation[]): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) violations.push(violation(path, NOT_UNICODE));
    return;
  }
  if (typeof value === 'number') {
    if (Number.isNaN(value) || value === Number.NEGATIVE_INFINITY) violations.push(violation(path, INEXACT));
    else if (!Number.isFinite(value)) violations.push(violation(path, 'must be a finite number that fits a double.'));
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (path.length >= MAX_NESTING) {
    violations.push(violation(path, `is nested deeper than the ${MAX_NESTING} levels that are allowed.`));
    return;
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && violations.length < VIOLATIONS_SOUGHT; index++) {
      below(index, value[index], path, violations);
    }
    return;
  }
  const members = value as JsonObject;
  for (const name of Object.keys(members)) {
    if (violations.length >= VIOLATIONS_SOUGHT) return;
    if (name.startsWith('$') || name.includes('\0') || FORBIDDEN_NAMES.has(name) || !name.isWellFormed()) {
      violations.push(
        violation(
          [...path, name],
          'is not a name that a property may have ($…, NUL, __proto__, constructor, prototype, _bsontype).',
        ),
      );
    } else below(name, members[name], path, violations);
  }
}

/** Our JSON parser yields NaN for such a number, which JSON itself cannot hold. */
const INEXACT =
  'is a number beyond 2⁵³ that a double cannot hold exactly, so it would be changed. Send it as a string.';

/** The path is one array that grows and shrinks during the walk, since violations that need it are rare. */
function below(step: string | number, value: unknown, path: (string | number)[], violations: Violation[]): void {
  path.push(step);
  walk(value, path, violations);
  path.pop();
}

const violation = (path: readonly (string | number)[], message: string): Violation => ({
  path: pointer(path),
  message,
});
