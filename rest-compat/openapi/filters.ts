import type { GraphQLSchema } from 'graphql';
import { fieldsOfDocument } from '../../src/model/data-api/data-api-fields.ts';
import { DOCUMENT_TYPES } from '../../src/model/document-types.ts';
import { type Field, type FieldKind, fieldsOf } from '../../src/model/fields/fields.ts';
import type { Schema } from '../../src/model/fields/schema-parts.ts';
import type { JsonSchema } from '../declare/json-schema.ts';
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
  if (schema.properties === undefined) return ANY_FIELD;
  const document = DOCUMENT_TYPES.find((type) => type.schema === schema);
  const fields = document ? fieldsOfDocument(document) : fieldsOf(schema);
  const properties = Object.fromEntries([...fields.values()].flatMap(named));
  return { type: 'object', properties, additionalProperties: false };
}

const ANY_FIELD: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } };

function named({ name, kind, description, catalog, envelope }: Field): [string, JsonSchema][] {
  const text = { type: 'string', description };
  const own: [string, JsonSchema][] = [
    [name, kind === 'text' ? text : { anyOf: [...VALUES[kind], ABSENT], description }],
  ];
  for (const member of catalog === undefined ? [] : ['xref', 'name']) {
    own.push([`${name}.${member}`, { ...text, description: `${description} By the ${member} of its record.` }]);
  }
  return envelope
    ? own
    : own.flatMap(([field, value]) => [
        [field, value],
        [`body.${field}`, value],
      ]);
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
