import { DOCUMENT_TYPES } from '../model/document-types.ts';
import { catalogRecordType, organizationType, workspaceType } from '../model/entity-types.ts';
import { validatorOf } from './validators.ts';

const ids = new Map(
  [...DOCUMENT_TYPES, organizationType, workspaceType, catalogRecordType].map((type) => [
    type.name,
    validatorOf(type).schemaId,
  ]),
);

/** The id of an entity type's JSON Schema (contract §5): the same on every gateway, another when the schema changes. */
export function schemaIdOf(type: string): string {
  const id = ids.get(type);
  if (id === undefined) throw new Error(`no schema for the type ${type}`);
  return id;
}
