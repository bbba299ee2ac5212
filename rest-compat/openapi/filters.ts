import type { GraphQLSchema } from 'graphql';
import { type Field, type FieldKind, fieldsOf } from '../../src/model/fields/fields.ts';
import type { Schema } from '../../src/model/fields/schema-parts.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import { answerName, type JsonSchema, schemaRef } from './schemas.ts';

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

const ABSENT = { const: 'null' };

/** The schemas of all filters, by the bodies that they look into. */
export function filterSchemas(schema: GraphQLSchema): Record<string, JsonSchema> {
  const bodies = Object.values(schema.getTypeMap()).filter(({ name, extensions }) => {
    return extensions.jsonSchema !== undefined && !name.endsWith('Patch');
  });
  return Object.fromEntries(
    bodies.map(({ name, extensions }) => [filterName(name), filterSchema(extensions.jsonSchema as Schema)]),
  );
}

/** Every field, with and without `body.`; a body that may have any form has any field. */
function filterSchema(schema: Schema): JsonSchema {
  if (schema.properties === undefined) return ANY_FIELD;
  const properties = Object.fromEntries([...fieldsOf(schema).values()].flatMap(named));
  return { type: 'object', properties, additionalProperties: false };
}

const ANY_FIELD: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } };

function named({ name, kind, catalog, envelope }: Field): [string, JsonSchema][] {
  const text = { type: 'string' };
  const own: [string, JsonSchema][] = [[name, kind === 'text' ? text : { anyOf: [...VALUES[kind], ABSENT] }]];
  if (catalog !== undefined) own.push([`${name}.xref`, text], [`${name}.name`, text]);
  return envelope
    ? own
    : own.flatMap(([field, value]) => [
        [field, value],
        [`body.${field}`, value],
      ]);
}

/** The parameter by which the filters of a list are given; none where its family has no filters. */
export function filterParameters({ family, reply }: Endpoint): JsonSchema[] {
  if (family.filterStyle === 'none') return [];
  const isBracketed = family.filterStyle === 'bracketed';
  const form = isBracketed ? 'filter[field]=value' : 'field=value';
  return [
    {
      name: 'filter',
      in: 'query',
      description: `Any field of the data model, as ${form}. A repeated parameter means any of its values, null an absent one.`,
      style: isBracketed ? 'deepObject' : 'form',
      explode: true,
      example: {},
      schema: 'body' in reply && reply.body !== undefined ? schemaRef(filterName(reply.body)) : ANY_FIELD,
    },
  ];
}

/** The name of the schema of the filters on a body: `JobFilter` for `JobBody`. */
const filterName = (body: string): string => `${answerName(body)}Filter`;
