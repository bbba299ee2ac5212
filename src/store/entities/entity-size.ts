import { BSON, type Collection, type Document, type Filter, type FindOptions } from 'mongodb';
import { ServiceError } from '../../errors.ts';
import { sizeAtMost } from '../batching/size-at-most.ts';

/**
 * The maximum size of an entity as BSON, in bytes. MongoDB accepts 16 MiB; the difference leaves room for what is stored beside a
 * body, so that any version that could be written can also be superseded.
 */
const MAX_ENTITY_BYTES = 16_000_000;

/** An entity too large to be stored (413); if several were to be stored together, the one at `position`. */
export class EntityTooLarge extends ServiceError {
  readonly position: number;

  constructor(size: number, position = 0) {
    super('TOO_LARGE', `The entity has ${size} bytes as BSON; at most ${MAX_ENTITY_BYTES} are allowed.`);
    this.position = position;
  }
}

/** Throws EntityTooLarge for the first entity that is too large. */
export function checkSizes(entities: readonly Document[]): void {
  entities.forEach((entity, position) => {
    if (sizeAtMost(entity) <= MAX_ENTITY_BYTES) return; // measuring exactly takes as long as encoding
    const size = BSON.calculateObjectSize(entity, { ignoreUndefined: true });
    if (size > MAX_ENTITY_BYTES) throw new EntityTooLarge(size, position);
  });
}

/** The size of an entity. */
export interface Sized {
  readonly _id: string;
  readonly bytes: number;
  readonly revision: number;
}

/** The sizes of the entities that match a filter, unordered. */
export const sizesOf = <S extends Document>(
  collection: Collection<S>,
  filter: Filter<S>,
  options: FindOptions,
): Promise<Sized[]> => {
  const projection = { revision: 1, bytes: { $bsonSize: '$$ROOT' } };
  return collection.find<Sized>(filter, { ...options, projection }).toArray();
};
