import { BSON_TYPE, int32At } from './bson-element.ts';

/** The value size in bytes of each fixed-size type. */
const FIXED_SIZE: Readonly<Record<number, number>> = {
  [BSON_TYPE.double]: 8,
  [BSON_TYPE.undefined]: 0,
  [BSON_TYPE.objectId]: 12,
  [BSON_TYPE.bool]: 1,
  [BSON_TYPE.date]: 8,
  [BSON_TYPE.null]: 0,
  [BSON_TYPE.int32]: 4,
  17: 8, // timestamp
  [BSON_TYPE.int64]: 8,
  19: 16, // decimal128
  127: 0, // max key
  255: 0, // min key
};
const SIZES = Int8Array.from({ length: 256 }, (_, type) => FIXED_SIZE[type] ?? -1);

/** A found element: the position of its value and its type, packed into one number to avoid allocation. */
export type FoundElement = number;

/** What `findElement` returns if the document has no such name. */
export const NOT_FOUND: FoundElement = -1;

const TYPES = 256; // a type is one byte

/** The BSON type of a found element. */
export const typeOf = (found: FoundElement): number => found & (TYPES - 1);

/** Where the value of a found element begins. */
export const positionOf = (found: FoundElement): number => Math.floor(found / TYPES);

const encoder = new TextEncoder();

/** The element with that name in the BSON document at `start`, or NOT_FOUND. ASCII names cost no allocation. */
export function findElement(bytes: Uint8Array, start: number, name: string): FoundElement {
  let at = start + 4;
  for (;;) {
    const type = bytes[at];
    if (type === undefined || type === 0) return NOT_FOUND;
    const from = at + 1;
    let i = 0;
    while (i < name.length && bytes[from + i] === name.charCodeAt(i)) i++;
    let end = from + i;
    while (bytes[end] !== 0) end++;
    const matches = i === name.length ? end === from + i : name.charCodeAt(i) >= 0x80 && isName(bytes, from, end, name);
    if (matches) return (end + 1) * TYPES + type;
    at = end + 1 + sizeOf(bytes, type, end + 1);
  }
}

/** Whether the bytes are the UTF-8 of a name that is not pure ASCII. */
function isName(bytes: Uint8Array, from: number, end: number, name: string): boolean {
  const encoded = encoder.encode(name);
  return encoded.length === end - from && encoded.every((byte, i) => byte === bytes[from + i]);
}

/** The size of a value in bytes. */
export function sizeOf(bytes: Uint8Array, type: number, at: number): number {
  const fixed = SIZES[type] as number;
  if (fixed >= 0) return fixed;
  switch (type) {
    case BSON_TYPE.object:
    case BSON_TYPE.array:
    case 15: // code with scope
      return int32At(bytes, at);
    case BSON_TYPE.binary:
      return 5 + int32At(bytes, at);
    case 11: {
      const second = bytes.indexOf(0, at) + 1; // regular expression: two NUL-terminated strings
      return bytes.indexOf(0, second) + 1 - at;
    }
    case 12: // DBPointer
      return 4 + int32At(bytes, at) + 12;
    default:
      return 4 + int32At(bytes, at); // string, code, symbol
  }
}
