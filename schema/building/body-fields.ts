import type { ObjectRef } from '@pothos/core';
import type { Schema } from '../../src/model/fields/schema-parts.ts';
import { isObject, type JsonObject } from '../../src/model/json.ts';
import { CatalogRecordRef } from '../catalog-record.ts';
import { builder } from './builder.ts';
import { graphqlTypeName } from './type-name.ts';

type Types = typeof builder.$inferSchemaTypes;
type FieldBuilder<Source> = PothosSchemaTypes.ObjectFieldBuilder<Types, Source>;
type Field<Source> = ReturnType<FieldBuilder<Source>['string']>;

/** How the members of a body become GraphQL fields. */
export interface BodyFields<Source> {
  /** Returns the reader of a member, which is also the resolver of a plain one. */
  read(name: string): (source: Source) => unknown;
  /** Members that are renamed or hidden in GraphQL. */
  readonly names?: Readonly<Record<string, string | null>>;
}

/**
 * The typed fields of a body, derived from its JSON Schema: one field for members with two spellings, the record for a
 * catalog reference, an object type for an object.
 */
export function bodyFields<Source>(
  t: FieldBuilder<Source>,
  schema: Schema,
  { read, names = {} }: BodyFields<Source>,
): Record<string, Field<Source>> {
  const fields: Record<string, Field<Source>> = {};
  for (const [member, part] of Object.entries(schema.properties ?? {})) {
    const name = names[member] === undefined ? member : names[member];
    if (name === null || part['x-alias-of']) continue;
    const other = part['x-alias'];
    const value = other === undefined ? read(member) : either(read(member), read(other));
    fields[name] = field(t, part, value) as Field<Source>;
  }
  return fields;
}

function field<Source>(t: FieldBuilder<Source>, part: Schema, value: (source: Source) => unknown) {
  const nullable = true as const;
  const { description } = part;
  const about = description === undefined ? {} : { description };
  if (part['x-catalog']) {
    return t.field({
      type: CatalogRecordRef,
      nullable,
      ...about,
      resolve: (source, _args, { load }) => load.catalogRecord(recordId(value(source))),
    });
  }
  if (part.items?.properties) {
    const type = objectType(part.items);
    return t.field({ type: [type], ...about, resolve: (source) => objectsIn(value(source)) });
  }
  if (part.properties) {
    return t.field({
      type: objectType(part),
      nullable,
      ...about,
      resolve: (source) => value(source) as JsonObject | null | undefined,
    });
  }
  const type = scalarOf(part);
  return t.field({ type, nullable, ...about, resolve: value as never });
}

/** The id of a reference, which is either the id itself or an object with an id. */
const recordId = (reference: unknown): unknown => (isObject(reference) ? reference.id : reference);

/** The first of two spellings that has a value. */
const either =
  <Source>(one: (source: Source) => unknown, other: (source: Source) => unknown) =>
  (source: Source): unknown =>
    one(source) ?? other(source);

const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Integers are Float, because those of the interface may exceed GraphQL's 32-bit Int. */
function scalarOf(part: Schema): 'DateTime' | 'Float' | 'Boolean' | 'String' {
  if (part.format === 'datetime') return 'DateTime';
  const types = [part.type].flat();
  if (types.includes('number') || types.includes('integer')) return 'Float';
  return types.includes('boolean') ? 'Boolean' : 'String';
}

const objectTypes = new Map<Schema, ObjectRef<Types, JsonObject>>();

/** The GraphQL type of an object in a body, named by its title. */
function objectType(schema: Schema): ObjectRef<Types, JsonObject> {
  const known = objectTypes.get(schema);
  if (known) return known;
  const ref = builder.objectRef<JsonObject>(graphqlTypeName(schema.title ?? ''));
  objectTypes.set(schema, ref);
  ref.implement({
    ...(schema.description !== undefined && { description: schema.description }),
    fields: (t) => bodyFields(t, schema, { read: (name) => (source) => source[name] }),
  });
  return ref;
}
