import { BSON_TYPE, valueAt } from './bson-element.ts';
import { bsonToJson } from './bson-json.ts';
import { findValue, foundType, sizeOf } from './bson-scan.ts';

/** A BSON document of which only what is asked for is decoded; an element of another type than asked reads as absent. */
export class RawRecord {
  readonly #bytes: Uint8Array;
  readonly #start: number;

  constructor(bytes: Uint8Array, start = 0) {
    this.#bytes = bytes;
    this.#start = start;
  }

  /** The embedded document of a name, over the same bytes. */
  within(name: string): RawRecord | undefined {
    const at = findValue(this.#bytes, this.#start, name);
    return at < 0 || foundType !== BSON_TYPE.object ? undefined : new RawRecord(this.#bytes, at);
  }

  string(name: string): string | undefined {
    return this.#typed(name, BSON_TYPE.string) as string | undefined;
  }

  date(name: string): Date | undefined {
    return this.#typed(name, BSON_TYPE.date) as Date | undefined;
  }

  /** A number of any kind that the driver reads as a JavaScript number. */
  number(name: string): number | undefined {
    const value = this.value(name);
    return typeof value === 'number' ? value : undefined;
  }

  /** The strings in an array; empty when there is none. */
  strings(name: string): string[] {
    const at = findValue(this.#bytes, this.#start, name);
    if (at < 0 || foundType !== BSON_TYPE.array) return [];
    return (this.#decode(BSON_TYPE.array, at) as unknown[]).filter((item) => typeof item === 'string');
  }

  /** A value as JSON text; `null` when it is absent. */
  json(name: string): string {
    const at = findValue(this.#bytes, this.#start, name);
    if (at < 0) return 'null';
    const type = foundType;
    if (type === BSON_TYPE.object) return bsonToJson(this.#bytes, at);
    if (type === BSON_TYPE.array) return bsonToJson(this.#bytes, at, true);
    return JSON.stringify(this.#decode(type, at) ?? null);
  }

  /** A value as the driver reads it. */
  value(name: string): unknown {
    const at = findValue(this.#bytes, this.#start, name);
    return at < 0 ? undefined : this.#decode(foundType, at);
  }

  /** The value at the end of a path of names through embedded documents, as the driver reads it. */
  at(path: readonly string[]): unknown {
    let at = this.#start;
    let type: number = BSON_TYPE.object;
    for (const name of path) {
      if (type !== BSON_TYPE.object) return undefined;
      at = findValue(this.#bytes, at, name);
      if (at < 0) return undefined;
      type = foundType;
    }
    return path.length === 0 ? undefined : this.#decode(type, at);
  }

  #typed(name: string, wanted: number): unknown {
    const at = findValue(this.#bytes, this.#start, name);
    if (at < 0 || foundType !== wanted) return undefined;
    return this.#decode(wanted, at);
  }

  #decode(type: number, at: number): unknown {
    return valueAt(type, this.#bytes, at, at + sizeOf(this.#bytes, type, at));
  }
}
