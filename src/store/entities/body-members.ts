import { DOCUMENT_TYPES } from '../../model/document-types.ts';
import { type Entity, isBodyProperty } from '../../model/entity/entity.ts';
import { catalogRecordType } from '../../model/entity/entity-types.ts';
import { REFERENCE_TYPES } from '../../model/reference-data/reference-types.ts';

/**
 * Gives entities a property for each plain member that bodies of documents, catalog records and reference records have, so that GraphQL
 * fields of the same name need no resolver. Properties of the envelope stay as they are.
 */
export function withBodyMembers(prototype: Entity): void {
  const schemas = [
    ...DOCUMENT_TYPES.flatMap(({ schema, extensionSchema = {} }) => [schema, extensionSchema]),
    ...[catalogRecordType, ...REFERENCE_TYPES].map(({ schema }) => schema),
  ];
  for (const { properties = {} } of schemas) {
    for (const [name, { readOnly }] of Object.entries(properties)) {
      if (!isBodyProperty(name) || name in prototype || readOnly) continue;
      Object.defineProperty(prototype, name, {
        get(this: Entity) {
          return this.at(name);
        },
      });
    }
  }
}
