import {
  GraphQLEnumType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isLeafType,
  isListType,
} from 'graphql';
import { standardSchema } from '../../src/model/fields/published-schema.ts';
import type { Schema } from '../../src/model/fields/schema-parts.ts';
import type { JsonSchema } from '../declare/json-schema.ts';
import { type Fields, fieldType, type View, type ViewObject } from '../declare/view.ts';
import { withReferences } from './catalog-references.ts';
import { component, NAME, schemaRef } from './named-schemas.ts';

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  UUID: { type: 'string', format: 'uuid' },
  DateTime: { type: 'string', format: 'date-time' },
  String: { type: 'string' },
  ID: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
};

/** The JSON Schema of a GraphQL type; a scalar with a schema of its own becomes a reference to it. */
export function typeSchema(type: GraphQLType): JsonSchema {
  if (type instanceof GraphQLNonNull) return typeSchema(type.ofType);
  if (isListType(type)) return { type: 'array', items: typeSchema(type.ofType) };
  const named = getNamedType(type);
  if (named instanceof GraphQLScalarType && named.extensions.jsonSchema) return schemaRef(named.name);
  if (named instanceof GraphQLEnumType) return { type: 'string', enum: named.getValues().map(({ name }) => name) };
  if (named instanceof GraphQLObjectType) return objectSchema(named);
  return SCALARS[named.name] ?? {};
}

/** The same, with the schema of a scalar inlined instead of a reference to it. */
export function ownSchema(type: GraphQLType): JsonSchema {
  const named = getNamedType(type);
  const own = named instanceof GraphQLScalarType ? named.extensions.jsonSchema : undefined;
  return own ? sent(own) : typeSchema(type);
}

/** An object of which a view shows some leaf fields. */
const objectSchema = (type: GraphQLObjectType): JsonSchema => ({
  [NAME]: type.name,
  type: 'object',
  properties: Object.fromEntries(
    Object.values(type.getFields())
      .filter((field) => isLeafType(getNamedType(field.type)))
      .map((field) => [field.name, fieldSchema(field.type)]),
  ),
});

/** The JSON Schema of a view's output; `body` is the name of the scalar that describes its bodies. */
export function viewSchema(view: View, type: Fields, body: string | undefined): JsonSchema {
  if (typeof view === 'string') return memberSchema(view, type, body);
  const properties = Object.entries(view).map(([name, member]) => [
    name,
    typeof member === 'string' ? memberSchema(member, type, body) : sparseSchema(member, type),
  ]);
  const name = `${body === undefined ? shownName(type.name) : answerName(body)}${formOf(view)}`;
  return { [NAME]: name, type: 'object', required: Object.keys(view), properties: Object.fromEntries(properties) };
}

/** A type's name without New, the prefix of constructors in Go: `NewSession` becomes `CreatedSession`. */
const shownName = (type: string): string => type.replace(/^New(?=[A-Z])/, 'Created');

/** How a view shows an entity: in the envelope of the interface, as an id with its body, or in its own form. */
function formOf(view: ViewObject): string {
  if ('version_id' in view) return 'Envelope';
  return 'body' in view ? 'Item' : 'View';
}

function memberSchema(field: string, type: Fields, body: string | undefined): JsonSchema {
  const found = fieldType(field, type);
  if (body !== undefined && getNamedType(found).name === 'JSON') return schemaRef(answerName(body));
  return fieldSchema(found);
}

function fieldSchema(type: GraphQLType): JsonSchema {
  const schema = typeSchema(type);
  if (type instanceof GraphQLNonNull || schema.type === undefined) return schema;
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, type: [schema.type, 'null'], ...values };
}

/** The schema of the search result wrapper (interface, "Search result wrapper"). */
export const searchSchema = (item: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['totalResultsAvailable', 'firstResultPosition', 'resultsPerPage', 'results'],
  properties: {
    totalResultsAvailable: { type: 'integer', description: 'The total number of results.' },
    firstResultPosition: {
      type: 'integer',
      description: 'The position of the first result of this page, counted from 1.',
    },
    resultsPerPage: { type: 'integer', description: 'The page size.' },
    results: { type: 'array', items: item },
  },
});

const sparseSchema = (members: Readonly<Record<string, string>>, type: Fields): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(members).map(([name, field]) => [name, typeSchema(fieldType(field, type))]),
  ),
});

/** The schema name of a body in responses: `JobBody` in requests is `Job` in responses. */
export const answerName = (scalar: string): string => scalar.replace(/Body$/, '');

/** Every schema that the document refers to: the bodies as sent and as returned. */
export function componentSchemas(schema: GraphQLSchema): Record<string, JsonSchema> {
  const components: Record<string, JsonSchema> = {};
  for (const type of Object.values(schema.getTypeMap())) {
    const own = type.extensions.jsonSchema as JsonSchema | undefined;
    if (own === undefined) continue;
    const { description } = type;
    const text = description && own.description === undefined ? { description } : {};
    components[type.name] = component({ ...sent(own), ...text }, false);
    if (type.extensions.role === 'body') components[answerName(type.name)] = component(answered(own), true);
  }
  return components;
}

/** The schema of a body as sent. */
const sent = (schema: Schema): JsonSchema => withReferences(standardSchema(schema));

/**
 * The schema of a body as returned. An API can also read bodies that another API wrote by different rules, so members are
 * neither required nor limited to enumerations, and members that others do not know have any type; a catalog reference is a
 * record id, unless it is always an object.
 */
function answered(schema: JsonSchema): JsonSchema {
  const { title, description, properties, items, anyOf, readOnly, 'x-catalog': catalog } = schema;
  const type = schema.type ?? (schema.enum === undefined ? undefined : ['string', 'null']);
  const texts = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
  if (schema['x-unchecked']) return texts;
  if (catalog !== undefined && properties === undefined)
    return { ...texts, type: ['string', 'null'], format: 'uuid', 'x-catalog': catalog };
  return {
    ...texts,
    ...(type !== undefined && { type }),
    ...(schema.format === 'uuid' && { format: 'uuid' }),
    ...(readOnly !== undefined && { readOnly }),
    ...(properties !== undefined && { properties: mapped(properties as Record<string, JsonSchema>) }),
    ...(items !== undefined && { items: answered(items as JsonSchema) }),
    ...(anyOf !== undefined && { anyOf: (anyOf as JsonSchema[]).map(answered) }),
    ...(schema.additionalProperties === true && { additionalProperties: true }),
  };
}

const mapped = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, answered(part)]));
