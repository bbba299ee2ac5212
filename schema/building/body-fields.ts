import type { ObjectRef } from '@pothos/core';
import { type GraphqlNames, graphqlTypeName } from '../../src/model/entity/graphql-names.ts';
import type { Schema } from '../../src/model/fields/schema-parts.ts';
import { instantOf } from '../../src/model/instant.ts';
import { isObject, type JsonObject } from '../../src/model/json.ts';
import { CatalogRecordRef } from '../catalog-record.ts';
import { builder } from './builder.ts';
import { showsPart, showsRecords } from './needed-records.ts';

type Types = typeof builder.$inferSchemaTypes;
type FieldBuilder<Source> = PothosSchemaTypes.ObjectFieldBuilder<Types, Source>;
type Field<Source> = ReturnType<FieldBuilder<Source>['string']>;

/** How the members of a body become GraphQL fields. */
interface BodyFields<Source> {
  /** Returns the reader of a member, which is also the resolver of a plain one. */
  read(name: string): (source: Source) => unknown;
  readonly names?: GraphqlNames | undefined;
  /** Bodies may hold values of any type here: a value that does not match the field's type is null. */
  readonly unchecked?: boolean;
}

/**
 * The typed fields of a body, derived from its JSON Schema: one field for a member and its alias, the record for a
 * catalog reference, an object type for an object. Members with a field of their own are left out here.
 */
export function bodyFields<Source>(
  t: FieldBuilder<Source>,
  schema: Schema,
  { read, names = {}, unchecked = false }: BodyFields<Source>,
): Record<string, Field<Source>> {
  const { hide = [], rename = {} } = names;
  const fields: Record<string, Field<Source>> = {};
  for (const [member, part] of Object.entries(schema.properties ?? {})) {
    if (hide.includes(member) || part['x-alias-of']) continue;
    const other = part['x-alias'];
    const value = other === undefined ? read(member) : either(read(member), read(other));
    fields[rename[member] ?? member] = field(t, part, { value, unchecked }) as Field<Source>;
  }
  return fields;
}

interface MemberRead<Source> {
  readonly value: (source: Source) => unknown;
  readonly unchecked: boolean;
}

function field<Source>(t: FieldBuilder<Source>, part: Schema, { value, unchecked }: MemberRead<Source>) {
  const nullable = true as const;
  const description = describe(part);
  const about = description === undefined ? {} : { description };
  if (part['x-catalog']) {
    const id = (source: Source) => recordId(value(source));
    return t.field({
      type: CatalogRecordRef,
      nullable,
      ...about,
      extensions: showsRecords(id),
      resolve: (source, _args, { load }) => load.catalogRecord(id(source)),
    });
  }
  if (part.items?.['x-catalog']) {
    return t.field({
      type: [CatalogRecordRef],
      ...about,
      extensions: showsRecords(value),
      resolve: (source, _args, { load }) => load.catalogRecords(value(source)),
    });
  }
  if (part.items?.properties) {
    const type = objectType(part.items, unchecked);
    const objects = (source: Source) => objectsIn(value(source));
    return t.field({ type: [type], ...about, extensions: showsPart(objects), resolve: objects });
  }
  if (part.properties) {
    return t.field({
      type: objectType(part, unchecked),
      nullable,
      ...about,
      extensions: showsPart(value),
      resolve: (source) => value(source) as JsonObject | null | undefined,
    });
  }
  const type = scalarOf(part);
  const read = unchecked ? (source: Source) => ofType(type, value(source)) : value;
  return t.field({ type, nullable, ...about, resolve: read as never });
}

type ScalarName = 'DateTime' | 'Float' | 'Boolean' | 'String';

const FITS: Readonly<Record<ScalarName, (value: unknown) => boolean>> = {
  DateTime: (value) => typeof value === 'string' && instantOf(value) !== undefined,
  Float: (value) => typeof value === 'number',
  Boolean: (value) => typeof value === 'boolean',
  String: (value) => typeof value === 'string',
};

const ofType = (type: ScalarName, value: unknown): unknown => (FITS[type](value) ? value : null);

/** The description of a member, with its allowed values. */
function describe({ description, enum: values }: Schema): string | undefined {
  if (!values) return description;
  const allowed = `One of ${values.filter((value) => value !== null).join(', ')}.`;
  return description === undefined ? allowed : `${description} ${allowed}`;
}

/** The id of a reference, which is either the id itself or an object with an id. */
const recordId = (reference: unknown): unknown => (isObject(reference) ? reference.id : reference);

/** The member, or else its alias. */
const either =
  <Source>(one: (source: Source) => unknown, other: (source: Source) => unknown) =>
  (source: Source): unknown =>
    one(source) ?? other(source);

const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Integers become Float, because the interface's integers may exceed GraphQL's 32-bit Int. */
function scalarOf(part: Schema): ScalarName {
  if (part.format === 'datetime') return 'DateTime';
  const types = [part.type].flat();
  if (types.includes('number') || types.includes('integer')) return 'Float';
  return types.includes('boolean') ? 'Boolean' : 'String';
}

const objectTypes = new Map<Schema, ObjectRef<Types, JsonObject>>();

/** The GraphQL type of an object in a body, named by its title. */
function objectType(schema: Schema, unchecked: boolean): ObjectRef<Types, JsonObject> {
  const known = objectTypes.get(schema);
  if (known) return known;
  const ref = builder.objectRef<JsonObject>(graphqlTypeName(schema.title ?? ''));
  objectTypes.set(schema, ref);
  ref.implement({
    ...(schema.description !== undefined && { description: schema.description }),
    fields: (t) => bodyFields(t, schema, { read: (name) => (source) => source[name], unchecked }),
  });
  return ref;
}
