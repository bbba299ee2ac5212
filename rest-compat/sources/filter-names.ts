import type { GraphQLSchema } from 'graphql';
import { fieldsOfDocument } from '../../src/model/data-api/data-api-fields.ts';
import { DOCUMENT_TYPES } from '../../src/model/document-types.ts';
import { type Field, type FieldTable, fieldsOf } from '../../src/model/fields/fields.ts';
import type { Schema } from '../../src/model/fields/schema-parts.ts';

/** A name that a filter may use; `member` if it compares the record that the field refers to. */
export interface FilterName {
  readonly name: string;
  readonly member?: 'xref' | 'name';
}

/** Every name by which a field can be filtered: with and without `body.`, and of a reference also its record's xref and name. */
export function filterNames({ name, catalog, envelope }: Field): readonly FilterName[] {
  const own: FilterName[] = [{ name }];
  if (catalog !== undefined) {
    own.push({ name: `${name}.xref`, member: 'xref' }, { name: `${name}.name`, member: 'name' });
  }
  return envelope ? own : own.flatMap((one) => [one, { ...one, name: `body.${one.name}` }]);
}

/** The fields of lists with bodies of this schema; undefined if their shape is unknown. */
export function fieldsOfBody(schema: Schema): FieldTable | undefined {
  if (schema.properties === undefined) return undefined;
  const document = DOCUMENT_TYPES.find((type) => type.schema === schema);
  return document ? fieldsOfDocument(document) : fieldsOf(schema);
}

/** Every name that filters of a list with bodies of this scalar may use; lists of unknown shape have the fields of all documents. */
export function filterNamesOf(body: string | undefined, schema: GraphQLSchema): ReadonlySet<string> {
  const own = body === undefined ? undefined : schema.getType(body)?.extensions.jsonSchema;
  const table = own === undefined ? undefined : fieldsOfBody(own as Schema);
  const tables = table ? [table] : DOCUMENT_TYPES.map(fieldsOfDocument);
  return new Set(tables.flatMap((fields) => [...fields.values()].flatMap(filterNames).map(({ name }) => name)));
}
