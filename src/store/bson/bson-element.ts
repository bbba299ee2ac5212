import { BSON } from 'mongodb';

/** The types of BSON elements, under the names of bsonspec.org, that the readers here look at themselves. */
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

/** The signed 64-bit integer at `at`: exact within ±2^53, the nearest double beyond. */
export const int64At = (bytes: Uint8Array, at: number): number =>
  int32At(bytes, at + 4) * HIGH_WORD + (int32At(bytes, at) >>> 0);

/** The IEEE 754 double at `at`. */
export function doubleAt(bytes: Uint8Array, at: number): number {
  eightBytes.setInt32(0, int32At(bytes, at), true);
  eightBytes.setInt32(4, int32At(bytes, at + 4), true);
  return eightBytes.getFloat64(0, true);
}

/** What the driver makes of one element's value, `bytes` from `from` to `to`; the frequent types are read here. */
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
    case BSON_TYPE.array:
      return stringsAt(bytes, from) ?? decodeValue(type, bytes, from, to);
    default:
      return decodeValue(type, bytes, from, to);
  }
}

/** The items of an array that holds nothing but strings, as lists of ids do; undefined for any other. */
function stringsAt(bytes: Buffer, start: number): string[] | undefined {
  const strings: string[] = [];
  let at = start + 4;
  for (;;) {
    const type = bytes[at];
    if (type === 0) return strings;
    if (type !== BSON_TYPE.string) return undefined;
    while (bytes[++at] !== 0); // the name, which is the item's index
    const end = at + 5 + int32At(bytes, at + 1);
    strings.push(bytes.toString('utf8', at + 5, end - 1));
    at = end;
  }
}

/** What the driver makes of one element's value, whatever its type. */
export function decodeValue(type: number, bytes: Uint8Array, from: number, to: number): unknown {
  const document = Buffer.alloc(to - from + 8); // size (4), type, the name "v", NUL, the value, NUL
  document.writeInt32LE(document.length, 0);
  document[4] = type;
  document[5] = 0x76;
  document.set(bytes.subarray(from, to), 7);
  return BSON.deserialize(document).v;
}
