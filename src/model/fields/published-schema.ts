import type { EntityType } from '../entity/entity-type.ts';
import type { Json, JsonObject } from '../json.ts';
import { present, type Schema } from './schema-parts.ts';

const DATETIME: readonly Json[] = [
  { type: 'string', format: 'date-time' },
  { type: 'string', format: 'date' },
];

/**
 * The public JSON Schema (2020-12) of an entity type's bodies in the document form: required members are listed at each
 * level, datetimes have the standard formats, annotations of this service remain (x-catalog, x-alias, …).
 */
export function publishedSchema({ schema, required }: EntityType): JsonObject {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...published(schema, required) };
}

/** A schema for publication: datetimes have the standard formats, annotations of this service remain. */
export const standardSchema = (schema: Schema): JsonObject => published(schema, []);

function published(schema: Schema, required: readonly string[]): JsonObject {
  const { properties, items, format, type, 'x-unchecked': _unchecked, ...rest } = schema;
  if (format === 'datetime') {
    const orNull: readonly Json[] = [type ?? []].flat().includes('null') ? [{ type: 'null' }] : [];
    return { ...(rest as JsonObject), anyOf: [...DATETIME, ...orNull] };
  }
  if (format === 'country-code') return { ...(rest as JsonObject), type: type as Json, pattern: '^[A-Za-z]{2}$' };
  const here = new Set([...(schema.required ?? []), ...required.map((path) => path.split('.')[0] ?? '')]);
  return {
    ...(type !== undefined && { type }),
    ...(format !== undefined && { format }),
    ...(rest as unknown as JsonObject),
    ...(properties && { properties: publishedMembers(properties, required, here) }),
    ...(items && { items: published(items, []) }),
    ...(schema.anyOf && !schema['x-catalog'] && { anyOf: schema.anyOf.map((part) => published(part, [])) }),
    ...(here.size > 0 && { required: [...here] }),
  };
}

/** The members of an object; those that are always present are never null. */
const publishedMembers = (
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
  here: ReadonlySet<string>,
): JsonObject =>
  Object.fromEntries(
    Object.entries(properties).map(([name, part]) => [
      name,
      published(here.has(name) ? present(part) : part, below(name, required)),
    ]),
  );

/** The required paths below a member, relative to it. */
const below = (member: string, required: readonly string[]): string[] =>
  required.filter((path) => path.startsWith(`${member}.`)).map((path) => path.slice(member.length + 1));
