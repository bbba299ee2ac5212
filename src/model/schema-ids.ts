import { v5 as uuidOf } from 'uuid';
import { DOCUMENT_TYPES } from './document-types.ts';
import type { EntityType } from './entity-type.ts';
import { catalogRecordType, organizationType, workspaceType } from './entity-types.ts';

const SCHEMA_NAMESPACE = '8f2f0a0e-5a53-5c0e-9a7e-6d1c1c0b7e10';

/** The id of the JSON Schema of an entity type (contract §5): the same on every gateway, another when the schema changes. */
export const schemaIdFor = ({ schema }: EntityType): string => uuidOf(JSON.stringify(schema), SCHEMA_NAMESPACE);

const ids = new Map(
  [...DOCUMENT_TYPES, organizationType, workspaceType, catalogRecordType].map((type) => [type.name, schemaIdFor(type)]),
);

/** The same by the name of the type. */
export function schemaIdOf(type: string): string {
  const id = ids.get(type);
  if (id === undefined) throw new Error(`no schema for the type ${type}`);
  return id;
}
