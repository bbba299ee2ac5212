/** Freezes a value deeply and returns it: a compiled operation shares its values among all requests. */
export function frozen(value: unknown): unknown {
  if (!isPlain(value) || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

/** Whether it is a plain array or object, as literals yield, not a value created by a scalar. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || prototype === Object.prototype;
}
