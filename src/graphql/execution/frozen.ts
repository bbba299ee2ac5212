/** The value itself, which nobody can change from now on: what a compiled operation keeps is the same for all requests. */
export function frozen(value: unknown): unknown {
  if (!isPlain(value) || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

/** Whether it is an array or an object as literals make them, and nothing that a scalar made. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || prototype === Object.prototype;
}
