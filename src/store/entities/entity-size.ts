import { BSON, type Document } from 'mongodb';
import { ServiceError } from '../../errors.ts';

/**
 * The most bytes of BSON that an entity may have. MongoDB takes 16 MiB; what is between them is room for what is kept
 * beside a body, so that a version that could be written can also be superseded.
 */
export const MAX_ENTITY_BYTES = 16_000_000;

/** Entities of so many bytes fit into one message to MongoDB; the driver would measure each of them to find that out. */
export const MESSAGE_BYTES = 40_000_000;

/** An entity that is too large to be stored (413); of several that were to be stored together, the one at `position`. */
export class EntityTooLarge extends ServiceError {
  readonly position: number;

  constructor(size: number, position = 0) {
    super('TOO_LARGE', `The entity has ${size} bytes as BSON; at most ${MAX_ENTITY_BYTES} are allowed.`);
    this.position = position;
  }
}

/** Throws EntityTooLarge for the first of the entities that is; at most how many bytes they have together. */
export function checkSizes(entities: readonly Document[]): number {
  let together = 0;
  entities.forEach((entity, position) => {
    const atMost = sizeAtMost(entity);
    together += atMost;
    if (atMost <= MAX_ENTITY_BYTES) return; // measuring exactly takes as long as encoding
    const size = BSON.calculateObjectSize(entity, { ignoreUndefined: true });
    if (size > MAX_ENTITY_BYTES) throw new EntityTooLarge(size, position);
  });
  return together;
}

/** More than BSON needs beside the name and the text of a value: its type, its length, its end. */
const VALUE = 24;
/** More bytes than UTF-8 has for one of UTF-16. */
const CHARACTER = 3;

/** No fewer bytes than the value has as BSON. */
function sizeAtMost(value: unknown): number {
  if (typeof value === 'string') return VALUE + value.length * CHARACTER;
  if (typeof value !== 'object' || value === null || value instanceof Date) return VALUE;
  if (Array.isArray(value)) {
    let size = VALUE;
    for (const item of value) size += VALUE + sizeAtMost(item);
    return size;
  }
  if (!isPlain(value)) return Number.POSITIVE_INFINITY;
  let size = VALUE;
  for (const name in value) size += name.length * CHARACTER + sizeAtMost((value as Document)[name]);
  return size;
}

/** Whether a value is an object as JSON has it, rather than one of MongoDB's own types. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
