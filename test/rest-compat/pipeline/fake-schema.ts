import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLNamedType, type GraphQLSchema, isObjectType, isScalarType } from 'graphql';

const SDL = readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8');

/** What every body must be in the REST tests. */
const BODY = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 1 }, status: { enum: ['pending', null] } },
  required: ['name'],
};

/** The service's schema without its resolvers, with one small JSON Schema for all bodies. */
export const fakeSchema: GraphQLSchema = withoutResolvers();

function withoutResolvers(): GraphQLSchema {
  const schema = buildSchema(SDL);
  for (const type of Object.values(schema.getTypeMap())) type.extensions = fakeExtensions(type);
  return schema;
}

function fakeExtensions(type: GraphQLNamedType): Record<string, unknown> {
  const { name: title } = type;
  if (isScalarType(type) && title.endsWith('Body')) return { role: 'body', jsonSchema: { title, ...BODY } };
  if (isObjectType(type) && ['Attachment', 'Synonym'].includes(title)) return { jsonSchema: { title, type: 'object' } };
  return {};
}
