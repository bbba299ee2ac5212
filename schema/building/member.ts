import type { Entity } from '../../src/model/entity/entity.ts';

type Text = string | null | undefined;
export type Resolve<T> = (entity: Entity) => T;

const names = new WeakMap<object, string>();

/** Reads a plain member of a body. Entities have a property for each, which compiled operations read in its place. */
export function member<T = Text>(name: string): Resolve<T> {
  const resolve = (entity: Entity): T => entity.at(name) as T;
  names.set(resolve, name);
  return resolve;
}

/** The member that a resolver of `member` reads; undefined for every other resolver. */
export const memberRead = (resolve: object): string | undefined => names.get(resolve);
