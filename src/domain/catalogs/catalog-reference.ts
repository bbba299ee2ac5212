import { nameKey } from '../../model/catalogs.ts';
import type { ReferencePath } from '../../model/fields/fields.ts';
import { isObject, type Json, type JsonObject, valueAt } from '../../model/json.ts';

/** A catalog reference in a body: its place and its value. */
export interface CatalogReference {
  readonly place: readonly (string | number)[];
  readonly catalog: string;
  readonly id?: string;
  readonly xref?: string;
  readonly name?: string;
}

/** A reference as a string key, equal for references that must mean the same record of a workspace. */
export const keyOf = ({ catalog, id, xref, name }: CatalogReference): string =>
  id === undefined ? `${catalog} ${JSON.stringify(xref)} ${JSON.stringify(name)}` : `${catalog} ${id}`;

/** The name key by which a reference is matched; undefined if it has only an xref. */
export const nameKeyOf = ({ xref, name }: CatalogReference): string | undefined =>
  name === undefined && xref !== undefined ? undefined : nameKey(name ?? '');

/** All catalog references in a body that satisfies its schema. */
export function referencesIn(paths: readonly ReferencePath[], body: Json): CatalogReference[] {
  const catalogReferences: CatalogReference[] = [];
  for (const { path, catalog } of paths) collect(body, path, [], catalog, catalogReferences);
  return catalogReferences;
}

function collect(
  value: Json | undefined,
  path: readonly string[],
  place: readonly (string | number)[],
  catalog: string,
  catalogReferences: CatalogReference[],
): void {
  const [step, ...rest] = path;
  if (step === undefined) {
    if (value !== undefined && value !== null) catalogReferences.push(mentionOf(value, place, catalog));
  } else if (step === '*') {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) collect(item, rest, [...place, index], catalog, catalogReferences);
    }
  } else if (isObject(value) && Object.hasOwn(value, step)) {
    collect(value[step], rest, [...place, step], catalog, catalogReferences);
  }
}

function mentionOf(value: Json, place: readonly (string | number)[], catalog: string): CatalogReference {
  if (typeof value === 'string') return { place, catalog, id: value.toLowerCase() };
  const { id, xref, name } = isObject(value) ? value : {};
  if (typeof id === 'string') return { place, catalog, id: id.toLowerCase() };
  return {
    place,
    catalog,
    ...(typeof xref === 'string' && xref.trim() !== '' && { xref }),
    ...(typeof name === 'string' && name.trim() !== '' && { name }),
  };
}

/**
 * One body or many, with record ids in place of the references. The bodies given are not changed; parts without references are shared
 * with them, since copying millions of members takes seconds.
 */
export function withIds<T extends Json>(body: T, ids: ReadonlyMap<CatalogReference, string>): T {
  const copies = new Set<unknown>();
  const copied = (value: Json | undefined): Holder => {
    if (copies.has(value)) return value as unknown as Holder;
    const copy = Array.isArray(value) ? [...value] : { ...(value as JsonObject) };
    copies.add(copy);
    return copy as unknown as Holder;
  };
  if (ids.size === 0) return body;
  const whole = copied(body);
  for (const [{ place }, id] of ids) {
    let holder = whole;
    for (const step of place.slice(0, -1)) {
      const part = copied(holder[step]);
      holder[step] = part as unknown as Json;
      holder = part;
    }
    holder[place.at(-1) ?? ''] = id;
  }
  return whole as unknown as T;
}

type Holder = Record<string | number, Json>;

/**
 * The body without those references (kept as objects) that a patch points at another record: a reference is a single value (contract §6),
 * and a patch replaces all of it.
 */
export function withoutRenamed(paths: readonly ReferencePath[], body: JsonObject, patch: JsonObject): JsonObject {
  const renamed = paths.filter(({ path }) => namesAnother(valueAt(body, path), valueAt(patch, path)));
  return renamed.reduce((rest, { path }) => without(rest, path), body);
}

function namesAnother(before: unknown, asked: unknown): boolean {
  if (!isObject(before) || !isObject(asked)) return false;
  const { id, xref, name } = asked;
  const isOther = (value: Json | undefined, old: Json | undefined) => (value ?? null) !== null && value !== old;
  return isOther(id, before.id) || isOther(xref, before.xref) || isOther(keyed(name), keyed(before.name));
}

const keyed = (name: Json | undefined): Json | undefined => (typeof name === 'string' ? nameKey(name) : name);

function without(body: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject {
  const { [name]: member, ...others } = body;
  return (rest.length === 0 || !isObject(member) ? others : { ...body, [name]: without(member, rest) }) as JsonObject;
}
