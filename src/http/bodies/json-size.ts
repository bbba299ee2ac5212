import { randomInt } from 'node:crypto';
import { ServiceError } from '../../errors.ts';

/** Parsed, a value may take twenty times as much memory as its text: there may be one for each six bytes of the largest body. */
const BYTES_OF_VALUE = 6;
/** V8 takes much longer to parse objects that all have other names. */
const MOST_NAMES = 20_000;
/** Smaller texts are not limited, in bytes. */
const SMALL = 1024 * 1024;
/** A text of so many bytes is never heavy: it has at most a value for each of them. */
export const LIGHT_JSON = Math.floor(SMALL / BYTES_OF_VALUE);

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const COUNTING = 'arrays and objects count as two, and each member of an object as one more';

/**
 * What a JSON text has too much of to be parsed, if anything: values (nested ones included; arrays and objects count as
 * two, and each member of an object as one more), or different names of members. `maxBytes` is the size of the largest text.
 */
export function faultOfJsonSize(json: Uint8Array, maxBytes: number): ServiceError | undefined {
  if (json.length <= SMALL) return undefined;
  const mostValues = Math.floor(Math.max(maxBytes, SMALL * 4) / BYTES_OF_VALUE);
  const names = new DifferentHashes(MOST_NAMES);
  let values = 1;
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case QUOTE:
        at = names.hashText(json, at + 1);
        break;
      case COLON:
        values++;
        names.add();
        break;
      case COMMA:
        values++;
        break;
      case OPEN_ARRAY:
        values += json[at + 1] === CLOSE_ARRAY ? 1 : 2; // its first item has no comma
        break;
      case OPEN_OBJECT:
        values += json[at + 1] === CLOSE_OBJECT ? 1 : 2;
        break;
    }
    if (values > mostValues) return tooMany(mostValues, 'JSON values', `; ${COUNTING}`);
    if (names.size > MOST_NAMES) return tooMany(MOST_NAMES, 'different names of members');
  }
  return undefined;
}

/** What a JSON text comes to when it is parsed, in bytes of a common text: those of its values, if they are more than its own. */
export function weightOfJson(json: Uint8Array): number {
  let values = 1;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA || byte === COLON) values++;
    else if (byte === OPEN_ARRAY) values += json[at + 1] === CLOSE_ARRAY ? 1 : 2;
    else if (byte === OPEN_OBJECT) values += json[at + 1] === CLOSE_OBJECT ? 1 : 2;
  }
  return Math.max(json.length, values * BYTES_OF_VALUE);
}

const tooMany = (most: number, what: string, note = ''): ServiceError =>
  new ServiceError('TOO_LARGE', `The body has more than the ${most} ${what} that are allowed${note}.`);

/** The prime of the FNV-1a hash; its first value differs by process, so that nobody can choose names of the same hash. */
const FNV_PRIME = 0x01000193;
const FNV_START = randomInt(2 ** 32);

/** How many different texts there were, by their hashes. */
class DifferentHashes {
  readonly #table: Int32Array;
  #hash = 0;
  size = 0;

  constructor(most: number) {
    this.#table = new Int32Array(2 ** Math.ceil(Math.log2(most * 2)));
  }

  /** Reads the text in quotes that begins at an index; returns where the quote is that ends it. */
  hashText(json: Uint8Array, start: number): number {
    let hash = FNV_START;
    let at = start;
    for (; at < json.length && json[at] !== QUOTE; at++) {
      if (json[at] === BACKSLASH) hash = Math.imul(hash ^ (json[at++] as number), FNV_PRIME);
      hash = Math.imul(hash ^ (json[at] as number), FNV_PRIME);
    }
    this.#hash = hash | 1; // 0 is an empty place
    return at;
  }

  /** Counts the text that was read last. */
  add(): void {
    const mask = this.#table.length - 1;
    let place = (this.#hash ^ (this.#hash >>> 15)) & mask;
    while (this.#table[place] !== 0 && this.#table[place] !== this.#hash) place = (place + 1) & mask;
    if (this.#table[place] !== 0) return;
    this.#table[place] = this.#hash;
    this.size++;
  }
}
