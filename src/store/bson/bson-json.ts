import { BSON_TYPE, decodeValue, doubleAt, int32At, int64At } from './bson-element.ts';

const QUOTE = 0x22;
const DOLLAR = 0x24;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const [ARRAY_START, ARRAY_END, OBJECT_START, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d] as const;
const UUID_SUBTYPE = 4;
const PROMOTED = 2 ** 53; // the largest int64 that the driver reads as a number
const SHORT = 64; // bytes of a string; below this, a loop is faster than a copy call
const ROOM = 64; // bytes that fit any value except strings and containers, with its colon and comma
const SCRATCH_BYTES = 1 << 20; // bytes of scratch memory kept between calls

/** Extra bytes of a string byte when JSON-escaped: 0 if unescaped, 1 as `\n`, 5 as `\u001f`. */
const EXTRA = new Uint8Array(256).fill(5, 0, 0x20);
/** The letter after the backslash, for bytes that have one. */
const LETTER = new Uint8Array(256);
for (const pair of ['\bb', '\tt', '\nn', '\ff', '\rr', '""', '\\\\']) {
  EXTRA[pair.charCodeAt(0)] = 1;
  LETTER[pair.charCodeAt(0)] = pair.charCodeAt(1);
}
const HEX = Buffer.from('0123456789abcdef');
const CODE_POINT = Buffer.from('\\u00');

let scratch = Buffer.allocUnsafeSlow(1 << 16);
let strings = 0; // all string bytes written, OR-ed: below 0x80 the text is ASCII
let next = 0; // where the last value written ends in the BSON

/**
 * The BSON document (or array) at `start` as compact JSON, in one pass and without building objects: the same text as
 * `JSON.stringify` of what the driver decodes. Names within one object must be distinct, as in everything the driver writes.
 */
export function bsonToJson(bytes: Uint8Array, start = 0, isArray = false): string {
  strings = 0;
  const end = isArray ? writeArray(bytes, start, 0) : writeObject(bytes, start, 0);
  const text = scratch.toString(strings < 0x80 ? 'latin1' : 'utf8', 0, end);
  if (scratch.length > SCRATCH_BYTES) scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  return text;
}

function writeObject(bytes: Uint8Array, start: number, begin: number): number {
  let from = start + 4;
  let at = begin;
  room(at, ROOM);
  scratch[at++] = OBJECT_START;
  for (let type = bytes[from++]; type !== 0; type = bytes[from++]) {
    const first = bytes[from] as number;
    let nameEnd = from;
    while (bytes[nameEnd]) nameEnd++;
    if (type === BSON_TYPE.undefined) {
      from = nameEnd + 1;
      continue;
    }
    // JavaScript objects sort index-like names, and the driver turns $ref and $id into references.
    if ((first >= ZERO && first <= NINE) || first === DOLLAR)
      return writeDecoded(BSON_TYPE.object, bytes, start, begin);
    at = writeString(bytes, from, nameEnd, at);
    scratch[at++] = COLON;
    at = writeValue(type, bytes, nameEnd + 1, at);
    if (at < 0) return writeDecoded(BSON_TYPE.object, bytes, start, begin);
    scratch[at++] = COMMA;
    from = next;
  }
  next = from;
  return close(at, OBJECT_END);
}

function writeArray(bytes: Uint8Array, start: number, begin: number): number {
  let from = start + 4;
  let at = begin;
  room(at, ROOM);
  scratch[at++] = ARRAY_START;
  for (let type = bytes[from++]; type !== 0; type = bytes[from++]) {
    while (bytes[from]) from++; // the name is the index
    room(at, ROOM);
    at = writeValue(type === BSON_TYPE.undefined ? BSON_TYPE.null : type, bytes, from + 1, at);
    if (at < 0) return writeDecoded(BSON_TYPE.array, bytes, start, begin);
    scratch[at++] = COMMA;
    from = next;
  }
  next = from;
  return close(at, ARRAY_END);
}

/** Writes one value of at most ROOM bytes, or a string or container of any size; -1 for a type left to the driver. */
function writeValue(type: number | undefined, bytes: Uint8Array, from: number, at: number): number {
  switch (type) {
    case BSON_TYPE.string:
      next = from + 4 + int32At(bytes, from);
      return writeString(bytes, from + 4, next - 1, at);
    case BSON_TYPE.object:
      return writeObject(bytes, from, at);
    case BSON_TYPE.array:
      return writeArray(bytes, from, at);
    case BSON_TYPE.int32:
      next = from + 4;
      return writeNumber(int32At(bytes, from), at);
    case BSON_TYPE.double:
      next = from + 8;
      return writeNumber(doubleAt(bytes, from), at);
    case BSON_TYPE.int64: {
      const value = int64At(bytes, from);
      next = from + 8;
      return Math.abs(value) < PROMOTED ? writeNumber(value, at) : -1;
    }
    case BSON_TYPE.bool:
      next = from + 1;
      return writeAscii(bytes[from] ? 'true' : 'false', at);
    case BSON_TYPE.null:
      next = from;
      return writeAscii('null', at);
    case BSON_TYPE.date:
      next = from + 8;
      return writeDate(int64At(bytes, from), at);
    case BSON_TYPE.objectId:
      next = from + 12;
      scratch[at] = QUOTE;
      scratch[at + 25] = QUOTE;
      writeHex(bytes, from, next, at + 1);
      return at + 26;
    case BSON_TYPE.binary:
      return writeUuid(bytes, from, at);
    default:
      return -1;
  }
}

function writeString(bytes: Uint8Array, from: number, to: number, start: number): number {
  if (to - from > SHORT) return writeLongString(bytes, from, to, start);
  room(start, 6 * SHORT + ROOM);
  scratch[start] = QUOTE;
  const at = writeEscaped(bytes, from, to, start + 1);
  scratch[at] = QUOTE;
  return at + 1;
}

function writeLongString(bytes: Uint8Array, from: number, to: number, start: number): number {
  let extra = 0;
  let all = 0;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] as number;
    all |= byte;
    extra += EXTRA[byte] as number;
  }
  strings |= all;
  room(start, to - from + extra + ROOM);
  scratch[start] = QUOTE;
  if (extra === 0) scratch.set(bytes.subarray(from, to), start + 1);
  else writeEscaped(bytes, from, to, start + 1);
  const end = start + 1 + to - from + extra;
  scratch[end] = QUOTE;
  return end + 1;
}

function writeEscaped(bytes: Uint8Array, from: number, to: number, start: number): number {
  const out = scratch;
  let at = start;
  let all = 0;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] as number;
    all |= byte;
    if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) out[at++] = byte;
    else at = writeEscape(byte, at);
  }
  strings |= all;
  return at;
}

function writeEscape(byte: number, at: number): number {
  if (LETTER[byte]) {
    scratch[at] = BACKSLASH;
    scratch[at + 1] = LETTER[byte];
    return at + 2;
  }
  scratch.set(CODE_POINT, at);
  scratch[at + 4] = HEX[byte >> 4] as number;
  scratch[at + 5] = HEX[byte & 15] as number;
  return at + 6;
}

function writeNumber(value: number, start: number): number {
  if (!Number.isInteger(value) || value >= 1e9 || value <= -1e9) {
    return writeAscii(Number.isFinite(value) ? String(value) : 'null', start);
  }
  let at = start;
  let rest = Math.abs(value) | 0;
  if (value < 0) scratch[at++] = MINUS;
  let end = at + 1;
  for (let limit = 10; limit <= rest; limit *= 10) end++;
  for (let i = end - 1; i >= at; i--) {
    const tenth = (rest / 10) | 0;
    scratch[i] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return end;
}

function writeDate(milliseconds: number, at: number): number {
  const text = new Date(milliseconds).toJSON();
  return writeAscii(text === null ? 'null' : `"${text}"`, at);
}

function writeUuid(bytes: Uint8Array, from: number, at: number): number {
  if (int32At(bytes, from) !== 16 || bytes[from + 4] !== UUID_SUBTYPE) return -1;
  scratch[at] = QUOTE;
  let end = at + 1;
  let read = from + 5;
  for (const length of [4, 2, 2, 2, 6]) {
    end = writeHex(bytes, read, read + length, end);
    read += length;
    scratch[end++] = MINUS;
  }
  scratch[end - 1] = QUOTE;
  next = read;
  return end;
}

function writeHex(bytes: Uint8Array, from: number, to: number, start: number): number {
  let at = start;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] as number;
    scratch[at++] = HEX[byte >> 4] as number;
    scratch[at++] = HEX[byte & 15] as number;
  }
  return at;
}

function writeAscii(text: string, at: number): number {
  for (let i = 0; i < text.length; i++) scratch[at + i] = text.charCodeAt(i);
  return at + text.length;
}

/** Writes a whole object or array via the driver, where the pass over the bytes cannot. */
function writeDecoded(type: number, bytes: Uint8Array, start: number, at: number): number {
  next = start + int32At(bytes, start);
  const text = JSON.stringify(decodeValue(type, bytes, start, next));
  room(at, Buffer.byteLength(text) + ROOM);
  strings = 0xff;
  return at + scratch.write(text, at);
}

function close(at: number, bracket: number): number {
  room(at, ROOM);
  const end = scratch[at - 1] === COMMA ? at - 1 : at;
  scratch[end] = bracket;
  return end + 1;
}

function room(at: number, length: number): void {
  if (at + length > scratch.length) {
    const larger = Buffer.allocUnsafeSlow(Math.max(scratch.length * 2, at + length));
    scratch.copy(larger, 0, 0, at);
    scratch = larger;
  }
}
