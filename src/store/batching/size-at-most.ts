import { Binary, Decimal128, type Document, Long, ObjectId } from 'mongodb';

/** More than BSON needs beside the name and the text of a value: its type, its length, its end. */
const VALUE = 24;
/** More bytes than UTF-8 has for one of UTF-16. */
const CHARACTER = 3;

/** No fewer bytes than the value has as BSON. */
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

/** The same for what is of one of MongoDB's own types. */
function sizeOfOwn(value: object): number {
  if (value instanceof Binary) return VALUE + value.position;
  return value instanceof Long || value instanceof ObjectId ? VALUE : Number.POSITIVE_INFINITY;
}

/** Whether a value is an object as JSON has it, rather than one of MongoDB's own types. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
