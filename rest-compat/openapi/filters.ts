import type { GraphQLSchema } from 'graphql';
import type { Field, FieldKind } from '../../src/model/fields/fields.ts';
import type { Schema } from '../../src/model/fields/schema-parts.ts';
import type { JsonSchema } from '../declare/json-schema.ts';
import { type FilterName, fieldsOfBody, filterNames } from '../sources/filter-names.ts';
import { schemaRef } from './named-schemas.ts';
import { answerName } from './schemas.ts';

const VALUES: Readonly<Record<FieldKind, readonly JsonSchema[]>> = {
  text: [{ type: 'string' }],
  integer: [{ type: 'integer' }],
  float: [{ type: 'number' }],
  boolean: [{ type: 'boolean' }],
  datetime: [
    { type: 'string', format: 'date-time' },
    { type: 'string', format: 'date' },
  ],
  id: [{ type: 'string', format: 'uuid' }],
};

/** In a query string, null and the word `null` are the same. */
const ABSENT = { enum: ['null', null] };

/** The filter schemas, by the bodies that they filter. */
export function filterSchemas(schema: GraphQLSchema): Record<string, JsonSchema> {
  const bodies = Object.values(schema.getTypeMap()).filter(({ extensions }) => {
    return extensions.jsonSchema !== undefined && extensions.role !== 'patch';
  });
  return Object.fromEntries(
    bodies.map(({ name, extensions }) => [filterName(name), filterSchema(extensions.jsonSchema as Schema)]),
  );
}

/** Every field, with and without `body.`; a body of unknown shape allows any field. */
function filterSchema(schema: Schema): JsonSchema {
  const fields = fieldsOfBody(schema);
  if (!fields) return ANY_FIELD;
  const properties = Object.fromEntries([...fields.values()].flatMap(named));
  return { type: 'object', properties, additionalProperties: false };
}

const ANY_FIELD: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } };

const named = (field: Field): [string, JsonSchema][] =>
  filterNames(field).map(({ name, member }) => [name, valuesOf(field, member)]);

function valuesOf({ kind, description }: Field, member: FilterName['member']): JsonSchema {
  if (member) return { type: 'string', description: `${description} By the ${member} of its record.` };
  return kind === 'text' ? { type: 'string', description } : { anyOf: [...VALUES[kind], ABSENT], description };
}

/** A reference to the filter schema of lists with bodies of this scalar; without a scalar, any field is allowed. */
export const filtersOf = (body: string | undefined): JsonSchema =>
  body === undefined ? ANY_FIELD : schemaRef(filterName(body));

/** The schema itself instead of a reference. */
export function filtersIn(schema: GraphQLSchema, body: string | undefined): JsonSchema {
  const own = body === undefined ? undefined : schema.getType(body)?.extensions.jsonSchema;
  return own === undefined ? ANY_FIELD : filterSchema(own as Schema);
}

/** The name of a body's filter schema: `JobFilter` for `JobBody`. */
const filterName = (body: string): string => `${answerName(body)}Filter`;
