import type { Entity } from '../../src/model/entity/entity.ts';

type Text = string | null | undefined;
type Resolve<T> = (entity: Entity) => T;

const names = new WeakMap<object, string>();

/** A resolver for a plain body member; compiled operations read the entity's property of that name instead. */
export function member<T = Text>(name: string): Resolve<T> {
  const resolve = (entity: Entity): T => entity.at(name) as T;
  names.set(resolve, name);
  return resolve;
}

/** The name that `member` was called with for this resolver; undefined for other resolvers. */
export const memberRead = (resolve: object): string | undefined => names.get(resolve);
