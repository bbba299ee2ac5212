import { randomInt } from 'node:crypto';
import { ServiceError } from '../../errors.ts';

/** A parsed value may take twenty times the memory of its text: one is allowed per six bytes of the maximum body size. */
const BYTES_OF_VALUE = 6;
/** V8 parses objects with all-different names much more slowly. */
const MOST_NAMES = 20_000;
/** V8 makes a table of an object of more than some hundred members, and takes four to twenty times as long for each of them. */
const FEW_MEMBERS = 100;
/** The most members of all objects together, the first hundred of each not counted. */
const MOST_FURTHER_MEMBERS = 500_000;
/** Smaller texts, in bytes, are not limited. */
const SMALL = 1024 * 1024;
/** A text of up to so many bytes is never heavy: each byte is at most one value. */
export const LIGHT_JSON = Math.floor(SMALL / BYTES_OF_VALUE);

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const COUNTING = 'arrays and objects count as two, and each member of an object as one more';

/**
 * The error for JSON with too many values to be parsed (nested ones included; arrays and objects count as two, and each
 * member of an object as one more), too many different member names, or too many members of large objects. `maxBytes` is the
 * maximum text size.
 */
export function faultOfJsonSize(json: Uint8Array, maxBytes: number): ServiceError | undefined {
  if (json.length <= SMALL) return undefined;
  const mostValues = Math.floor(Math.max(maxBytes, SMALL * 4) / BYTES_OF_VALUE);
  const names = new DifferentHashes(MOST_NAMES);
  let [values, further] = [1, 0];
  /** The members so far of the object that is open, and of those around it. */
  let members = 0;
  const around: number[] = [];
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case QUOTE:
        at = names.hashText(json, at + 1);
        break;
      case COLON:
        values++;
        names.add();
        if (++members > FEW_MEMBERS) further++;
        break;
      case COMMA:
        values++;
        break;
      case OPEN_ARRAY:
        values += json[at + 1] === CLOSE_ARRAY ? 1 : 2; // the first item has no comma
        break;
      case OPEN_OBJECT:
        values += json[at + 1] === CLOSE_OBJECT ? 1 : 2;
        around.push(members);
        members = 0;
        break;
      case CLOSE_OBJECT:
        members = around.pop() ?? 0;
        break;
    }
    if (values > mostValues) return tooMany(mostValues, 'JSON values', `; ${COUNTING}`);
    if (names.size > MOST_NAMES) return tooMany(MOST_NAMES, 'different names of members');
    if (further > MOST_FURTHER_MEMBERS)
      return tooMany(MOST_FURTHER_MEMBERS, 'members', '; the first 100 of each object are not counted');
  }
  return undefined;
}

/** The weight of a JSON text when parsed, in bytes of typical text: that of its values, if more than its own size. */
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

/** The prime of the FNV-1a hash, whose start value is random per process, so that nobody can provoke collisions. */
const FNV_PRIME = 0x01000193;
const FNV_START = randomInt(2 ** 32);

/** Counts different texts by their hashes. */
class DifferentHashes {
  readonly #table: Int32Array;
  #hash = 0;
  size = 0;

  constructor(most: number) {
    this.#table = new Int32Array(2 ** Math.ceil(Math.log2(most * 2)));
  }

  /** Hashes the quoted text that begins at an index; returns the index of its closing quote. */
  hashText(json: Uint8Array, start: number): number {
    let hash = FNV_START;
    let at = start;
    for (; at < json.length && json[at] !== QUOTE; at++) {
      if (json[at] === BACKSLASH) hash = Math.imul(hash ^ (json[at++] as number), FNV_PRIME);
      hash = Math.imul(hash ^ (json[at] as number), FNV_PRIME);
    }
    this.#hash = hash | 1; // 0 marks an empty slot
    return at;
  }

  /** Counts the text hashed last. */
  add(): void {
    const mask = this.#table.length - 1;
    let place = (this.#hash ^ (this.#hash >>> 15)) & mask;
    while (this.#table[place] !== 0 && this.#table[place] !== this.#hash) place = (place + 1) & mask;
    if (this.#table[place] !== 0) return;
    this.#table[place] = this.#hash;
    this.size++;
  }
}
