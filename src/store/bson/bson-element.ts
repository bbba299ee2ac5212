import { BSON } from 'mongodb';

/** The BSON element types that these readers handle themselves, under their names at bsonspec.org. */
export const BSON_TYPE = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binary: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  int32: 16,
  int64: 18,
} as const;

const HIGH_WORD = 2 ** 32;
const eightBytes = new DataView(new ArrayBuffer(8));

/** The signed 32-bit little-endian integer at `at`. */
export const int32At = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) |
  ((bytes[at + 1] as number) << 8) |
  ((bytes[at + 2] as number) << 16) |
  ((bytes[at + 3] as number) << 24);

/** The signed 64-bit integer at `at`: exact within ±2^53, otherwise the nearest double. */
export const int64At = (bytes: Uint8Array, at: number): number =>
  int32At(bytes, at + 4) * HIGH_WORD + (int32At(bytes, at) >>> 0);

/** The IEEE 754 double at `at`. */
export function doubleAt(bytes: Uint8Array, at: number): number {
  eightBytes.setInt32(0, int32At(bytes, at), true);
  eightBytes.setInt32(4, int32At(bytes, at + 4), true);
  return eightBytes.getFloat64(0, true);
}

/** What the driver decodes from one element's value, `bytes` from `from` to `to`; common types are read here. */
export function valueAt(type: number, bytes: Buffer, from: number, to: number): unknown {
  switch (type) {
    case BSON_TYPE.string:
      return bytes.toString('utf8', from + 4, to - 1);
    case BSON_TYPE.int32:
      return int32At(bytes, from);
    case BSON_TYPE.double:
      return doubleAt(bytes, from);
    case BSON_TYPE.bool:
      return bytes[from] === 1;
    case BSON_TYPE.date:
      return new Date(int64At(bytes, from));
    case BSON_TYPE.null:
      return null;
    case BSON_TYPE.object:
    case BSON_TYPE.array: {
      const value = containerAt(type, bytes, from);
      return value === LEFT ? decodeValue(type, bytes, from, to) : value;
    }
    default:
      return decodeValue(type, bytes, from, to);
  }
}

/** Marks a value left to the driver. */
const LEFT = Symbol('left to the driver');
const DOLLAR = 0x24;
const UNDERSCORE = 0x5f;
let next = 0; // where the last element read ends

/** An object or array of common types, nested ones included; LEFT if it contains any other. */
function containerAt(type: number | undefined, bytes: Buffer, start: number): unknown {
  const items: unknown[] = [];
  const members: Record<string, unknown> = {};
  let at = start + 4;
  for (let held = bytes[at]; held !== 0; held = bytes[at]) {
    const from = at + 1;
    let all = 0;
    for (at = from; bytes[at] !== 0; at++) all |= bytes[at] as number;
    const end = at;
    const value = elementAt(held, bytes, end + 1);
    if (value === LEFT) return LEFT;
    at = next;
    if (type === BSON_TYPE.array) {
      items.push(value);
      continue;
    }
    // The driver turns `$ref` and `$id` into references, and makes `__proto__` an ordinary name.
    if (bytes[from] === DOLLAR || bytes[from] === UNDERSCORE) return LEFT;
    members[bytes.toString(all < 0x80 ? 'latin1' : 'utf8', from, end)] = value;
  }
  next = at + 1;
  return type === BSON_TYPE.array ? items : members;
}

function elementAt(type: number | undefined, bytes: Buffer, from: number): unknown {
  switch (type) {
    case BSON_TYPE.string:
      next = from + 4 + int32At(bytes, from);
      return bytes.toString('utf8', from + 4, next - 1);
    case BSON_TYPE.object:
    case BSON_TYPE.array:
      return containerAt(type, bytes, from);
    case BSON_TYPE.int32:
      next = from + 4;
      return int32At(bytes, from);
    case BSON_TYPE.double:
      next = from + 8;
      return doubleAt(bytes, from);
    case BSON_TYPE.bool:
      next = from + 1;
      return bytes[from] === 1;
    case BSON_TYPE.date:
      next = from + 8;
      return new Date(int64At(bytes, from));
    case BSON_TYPE.null:
      next = from;
      return null;
    default:
      return LEFT;
  }
}

/** What the driver decodes from one element's value, of any type. */
export function decodeValue(type: number, bytes: Uint8Array, from: number, to: number): unknown {
  const document = Buffer.alloc(to - from + 8); // size (4), type, the name "v", NUL, the value, NUL
  document.writeInt32LE(document.length, 0);
  document[4] = type;
  document[5] = 0x76;
  document.set(bytes.subarray(from, to), 7);
  return BSON.deserialize(document).v;
}
