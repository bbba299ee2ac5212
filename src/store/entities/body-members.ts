import { DOCUMENT_TYPES } from '../../model/document-types.ts';
import { type Entity, isBodyProperty } from '../../model/entity/entity.ts';
import { catalogRecordType } from '../../model/entity/entity-types.ts';
import { REFERENCE_TYPES } from '../../model/reference-data/reference-types.ts';

/**
 * Adds a property to entities for each plain body member of documents, catalog records and reference records, so that GraphQL
 * fields of the same name need no resolver. Envelope properties are left alone.
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
