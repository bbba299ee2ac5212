import {
  GraphQLNonNull,
  GraphQLScalarType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isListType,
} from 'graphql';
import { standardSchema } from '../../src/model/fields/published-schema.ts';
import type { JsonSchema } from '../declare/json-schema.ts';
import { type Fields, fieldType, type View } from '../declare/view.ts';

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  UUID: { type: 'string', format: 'uuid' },
  DateTime: { type: 'string', format: 'date-time' },
  String: { type: 'string' },
  ID: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
};

export const schemaRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** The JSON Schema of a GraphQL type; a scalar with a schema of its own becomes a reference to it. */
export function typeSchema(type: GraphQLType): JsonSchema {
  if (type instanceof GraphQLNonNull) return typeSchema(type.ofType);
  if (isListType(type)) return { type: 'array', items: typeSchema(type.ofType) };
  const named = getNamedType(type);
  if (named instanceof GraphQLScalarType && named.extensions.jsonSchema) return schemaRef(named.name);
  return SCALARS[named.name] ?? {};
}

/** The JSON Schema of a view's output; `body` is the name of the scalar that describes its bodies. */
export function viewSchema(view: View, type: Fields, body: string | undefined): JsonSchema {
  if (typeof view === 'string') return memberSchema(view, type, body);
  const properties = Object.entries(view).map(([name, member]) => [
    name,
    typeof member === 'string' ? memberSchema(member, type, body) : sparseSchema(member, type),
  ]);
  return { type: 'object', required: Object.keys(view), properties: Object.fromEntries(properties) };
}

function memberSchema(field: string, type: Fields, body: string | undefined): JsonSchema {
  const found = fieldType(field, type);
  if (body !== undefined && getNamedType(found).name === 'JSON') return schemaRef(answerName(body));
  const schema = typeSchema(found);
  return found instanceof GraphQLNonNull || schema.type === undefined
    ? schema
    : { ...schema, type: [schema.type, 'null'] };
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
    components[type.name] = { ...standardSchema(own), ...text };
    if (type.extensions.role === 'body') components[answerName(type.name)] = answered(own);
  }
  return components;
}

/**
 * The schema of a body as returned. Each API can read what another wrote by different rules, so members are neither
 * required nor limited to enumerations; a catalog reference is a record id, unless it is always an object.
 */
function answered(schema: JsonSchema): JsonSchema {
  const { title, description, type, properties, items, anyOf, readOnly, 'x-catalog': catalog } = schema;
  const texts = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
  if (catalog !== undefined && properties === undefined)
    return { ...texts, type: ['string', 'null'], format: 'uuid', 'x-catalog': catalog };
  return {
    ...texts,
    ...(type !== undefined && { type }),
    ...(readOnly !== undefined && { readOnly }),
    ...(properties !== undefined && { properties: mapped(properties as Record<string, JsonSchema>) }),
    ...(items !== undefined && { items: answered(items as JsonSchema) }),
    ...(anyOf !== undefined && { anyOf: (anyOf as JsonSchema[]).map(answered) }),
  };
}

const mapped = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, answered(part)]));
