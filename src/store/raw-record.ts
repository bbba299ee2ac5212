import { BSON } from 'mongodb';
import { BSON_TYPE, valueAt } from './bson-element.ts';
import { bsonToJson } from './bson-json.ts';

/** An element as the driver's scan finds it: where its name and its value begin, and their lengths. */
type Element = readonly [type: number, name: number, nameLength: number, from: number, length: number];

/** A BSON document of which only what is asked for is decoded; an element of another type than asked reads as absent. */
export class RawRecord {
  readonly #bytes: Uint8Array;
  readonly #elements: Iterable<Element>;
  #embedded: Map<Element, Iterable<Element>> | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#elements = BSON.onDemand.parseToElements(bytes);
  }

  string(name: string): string | undefined {
    const value = this.value(name);
    return typeof value === 'string' ? value : undefined;
  }

  date(name: string): Date | undefined {
    const value = this.value(name);
    return value instanceof Date ? value : undefined;
  }

  /** A number of any kind that the driver reads as a JavaScript number. */
  number(name: string): number | undefined {
    const value = this.value(name);
    return typeof value === 'number' ? value : undefined;
  }

  /** The strings in an array; empty when there is none. */
  strings(name: string): string[] {
    const array = this.#find(name);
    if (array?.[0] !== BSON_TYPE.array) return [];
    const strings: string[] = [];
    for (const item of BSON.onDemand.parseToElements(this.#bytes, array[3])) {
      if (item[0] === BSON_TYPE.string) strings.push(this.#decode(item) as string);
    }
    return strings;
  }

  /** A value as JSON text; `null` when it is absent. */
  json(name: string): string {
    const element = this.#find(name);
    if (element?.[0] === BSON_TYPE.object) return bsonToJson(this.#bytes, element[3]);
    if (element?.[0] === BSON_TYPE.array) return bsonToJson(this.#bytes, element[3], true);
    return JSON.stringify((element && this.#decode(element)) ?? null);
  }

  /** A value as the driver reads it. */
  value(name: string): unknown {
    const element = this.#find(name);
    return element && this.#decode(element);
  }

  /** The value at the end of a path of names through embedded documents, as the driver reads it. */
  at(path: readonly string[]): unknown {
    let element: Element | undefined;
    for (const name of path) {
      if (element && element[0] !== BSON_TYPE.object) return undefined;
      element = this.#find(name, element && this.#within(element));
      if (!element) return undefined;
    }
    return element && this.#decode(element);
  }

  /** The elements of an embedded document; kept, since fields of one body are asked for one after the other. */
  #within(element: Element): Iterable<Element> {
    this.#embedded ??= new Map();
    let elements = this.#embedded.get(element);
    if (!elements) {
      elements = BSON.onDemand.parseToElements(this.#bytes, element[3]);
      this.#embedded.set(element, elements);
    }
    return elements;
  }

  #find(name: string, elements = this.#elements): Element | undefined {
    for (const element of elements) if (isNamed(this.#bytes, element, name)) return element;
    return undefined;
  }

  #decode([type, , , from, length]: Element): unknown {
    return valueAt(type, this.#bytes, from, from + length);
  }
}

function isNamed(bytes: Uint8Array, [, start, length]: Element, name: string): boolean {
  if (length < name.length) return false; // UTF-8 never has fewer bytes than UTF-16 has units
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    if (unit >= 0x80) return BSON.onDemand.ByteUtils.toUTF8(bytes, start, start + length, false) === name;
    if (unit !== bytes[start + i]) return false;
  }
  return length === name.length;
}
