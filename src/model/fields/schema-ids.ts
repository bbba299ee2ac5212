import { v5 as uuidOf } from 'uuid';
import { DOCUMENT_TYPES } from '../document-types.ts';
import { ENTITY_TYPES } from '../entity/entity-types.ts';
import type { JsonObject } from '../json.ts';
import { publishedSchema } from './published-schema.ts';

const SCHEMA_NAMESPACE = '8f2f0a0e-5a53-5c0e-9a7e-6d1c1c0b7e10';

/** The JSON Schema of one entity type, with the id used in envelopes. */
export interface TypeSchema {
  /** The same on every gateway; changes with the schema (contract §5). */
  readonly id: string;
  readonly type: string;
  readonly schema: JsonObject;
}

/** The JSON Schema of every entity type, those of documents first. */
export const TYPE_SCHEMAS: readonly TypeSchema[] = [...DOCUMENT_TYPES, ...ENTITY_TYPES].map((type) => {
  const { $schema, ...schema } = publishedSchema(type);
  const id = uuidOf(JSON.stringify(schema), SCHEMA_NAMESPACE);
  return { id, type: type.name, schema: { $schema: $schema ?? null, $id: `urn:uuid:${id}`, ...schema } };
});

const ids = new Map(TYPE_SCHEMAS.map(({ id, type }) => [type, id]));

/** The id of the JSON Schema of an entity type. */
export function schemaIdOf(type: string): string {
  const id = ids.get(type);
  if (id === undefined) throw new Error(`no schema for the type ${type}`);
  return id;
}

/** The entity type whose JSON Schema has that id. */
export const typeOfSchema = (id: string): string | undefined => TYPE_SCHEMAS.find((one) => one.id === id)?.type;
