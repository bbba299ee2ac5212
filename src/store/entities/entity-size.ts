import { BSON, type Collection, type Document, type Filter, type FindOptions } from 'mongodb';
import { ServiceError } from '../../errors.ts';
import { sizeAtMost } from '../batching/size-at-most.ts';

/**
 * The most bytes of BSON that an entity may have. MongoDB takes 16 MiB; what is between them is room for what is kept
 * beside a body, so that a version that could be written can also be superseded.
 */
const MAX_ENTITY_BYTES = 16_000_000;

/** An entity that is too large to be stored (413); of several that were to be stored together, the one at `position`. */
export class EntityTooLarge extends ServiceError {
  readonly position: number;

  constructor(size: number, position = 0) {
    super('TOO_LARGE', `The entity has ${size} bytes as BSON; at most ${MAX_ENTITY_BYTES} are allowed.`);
    this.position = position;
  }
}

/** Throws EntityTooLarge for the first of the entities that is. */
export function checkSizes(entities: readonly Document[]): void {
  entities.forEach((entity, position) => {
    if (sizeAtMost(entity) <= MAX_ENTITY_BYTES) return; // measuring exactly takes as long as encoding
    const size = BSON.calculateObjectSize(entity, { ignoreUndefined: true });
    if (size > MAX_ENTITY_BYTES) throw new EntityTooLarge(size, position);
  });
}

/** How much an entity is. */
export interface Sized {
  readonly _id: string;
  readonly bytes: number;
  readonly revision: number;
}

/** The sizes of what a filter meets, in no order. */
export const sizesOf = <S extends Document>(
  collection: Collection<S>,
  filter: Filter<S>,
  options: FindOptions,
): Promise<Sized[]> => {
  const projection = { revision: 1, bytes: { $bsonSize: '$$ROOT' } };
  return collection.find<Sized>(filter, { ...options, projection }).toArray();
};
