import { Binary, Decimal128, type Document, Long, ObjectId } from 'mongodb';

/** More bytes than BSON adds to a value's name and text: its type, length and terminator. */
const VALUE = 24;
/** The most bytes UTF-8 needs per UTF-16 unit. */
const CHARACTER = 3;

/** An upper bound of the value's size as BSON, in bytes. */
export function sizeAtMost(value: unknown): number {
  if (typeof value === 'string') return VALUE + value.length * CHARACTER;
  if (typeof value !== 'object' || value === null || value instanceof Date || value instanceof Decimal128) return VALUE;
  if (Array.isArray(value)) {
    let size = VALUE;
    for (const item of value) size += VALUE + sizeAtMost(item);
    return size;
  }
  if (!isPlain(value)) return sizeOfOwn(value);
  let size = VALUE;
  for (const name in value) size += name.length * CHARACTER + sizeAtMost((value as Document)[name]);
  return size;
}

/** The same for MongoDB's own types. */
function sizeOfOwn(value: object): number {
  if (value instanceof Binary) return VALUE + value.position;
  return value instanceof Long || value instanceof ObjectId ? VALUE : Number.POSITIVE_INFINITY;
}

/** Whether a value is a plain JSON object rather than one of MongoDB's own types. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
