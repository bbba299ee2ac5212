import { BSON_TYPE, int32At, valueAt } from './bson-element.ts';
import { bsonToJson } from './bson-json.ts';
import { type FoundElement, findElement, NOT_FOUND, positionOf, sizeOf, typeOf } from './bson-scan.ts';

/** The size of a binary value's header: its length and subtype. */
const BINARY_HEAD = 5;

/** A lazily decoded BSON document; an element of a different type than requested reads as absent. */
export class RawRecord {
  readonly #bytes: Buffer;
  readonly #start: number;

  constructor(bytes: Uint8Array, start = 0) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#start = start;
  }

  /** The buffer that contains the bytes. */
  get buffer(): ArrayBufferLike {
    return this.#bytes.buffer;
  }

  /** The embedded document with that name, over the same bytes. */
  within(name: string): RawRecord | undefined {
    const found = this.#find(name);
    if (found === NOT_FOUND || typeOf(found) !== BSON_TYPE.object) return undefined;
    return new RawRecord(this.#bytes, positionOf(found));
  }

  string(name: string): string | undefined {
    return this.#typed(name, BSON_TYPE.string) as string | undefined;
  }

  date(name: string): Date | undefined {
    return this.#typed(name, BSON_TYPE.date) as Date | undefined;
  }

  /** A number of any type the driver reads as a JavaScript number. */
  number(name: string): number | undefined {
    const value = this.value(name);
    return typeof value === 'number' ? value : undefined;
  }

  /** The bytes of a binary value, as a view of the record's bytes. */
  bytes(name: string): Buffer | undefined {
    const found = this.#find(name);
    if (found === NOT_FOUND || typeOf(found) !== BSON_TYPE.binary) return undefined;
    const from = positionOf(found) + BINARY_HEAD;
    return this.#bytes.subarray(from, from + int32At(this.#bytes, positionOf(found)));
  }

  /** The strings in an array; empty if there is none. */
  strings(name: string): string[] {
    const strings = this.#typed(name, BSON_TYPE.array) ?? [];
    return (strings as unknown[]).filter((item) => typeof item === 'string');
  }

  /** A value as JSON text; `null` if absent. */
  json(name: string): string {
    const found = this.#find(name);
    if (found === NOT_FOUND) return 'null';
    const type = typeOf(found);
    if (type === BSON_TYPE.object) return bsonToJson(this.#bytes, positionOf(found));
    if (type === BSON_TYPE.array) return bsonToJson(this.#bytes, positionOf(found), true);
    return JSON.stringify(this.#decode(found) ?? null);
  }

  /** A value as the driver decodes it. */
  value(name: string): unknown {
    const found = this.#find(name);
    return found === NOT_FOUND ? undefined : this.#decode(found);
  }

  /** The value at a path through embedded documents, as the driver decodes it. */
  at(path: readonly string[]): unknown {
    let at = this.#start;
    let found = NOT_FOUND;
    for (const name of path) {
      if (found !== NOT_FOUND && typeOf(found) !== BSON_TYPE.object) return undefined;
      found = findElement(this.#bytes, at, name);
      if (found === NOT_FOUND) return undefined;
      at = positionOf(found);
    }
    return found === NOT_FOUND ? undefined : this.#decode(found);
  }

  #find(name: string): FoundElement {
    return findElement(this.#bytes, this.#start, name);
  }

  #typed(name: string, wanted: number): unknown {
    const found = this.#find(name);
    return found === NOT_FOUND || typeOf(found) !== wanted ? undefined : this.#decode(found);
  }

  #decode(found: FoundElement): unknown {
    const type = typeOf(found);
    const at = positionOf(found);
    return valueAt(type, this.#bytes, at, at + sizeOf(this.#bytes, type, at));
  }
}
