import { DOCUMENT_TYPES } from '../model/document-types.ts';
import type { Entity } from '../model/entity.ts';
import { catalogRecordType } from '../model/entity-types.ts';

/**
 * Gives entities a property for each plain member that bodies of documents and catalog records have, so that GraphQL
 * fields of the same name need no resolver. Properties of the envelope stay as they are.
 */
export function withBodyMembers(prototype: Entity): void {
  const schemas = [
    ...DOCUMENT_TYPES.flatMap(({ schema, further = {} }) => [schema, further]),
    catalogRecordType.schema,
  ];
  for (const { properties = {} } of schemas) {
    for (const name of Object.keys(properties)) {
      if (name in prototype) continue;
      Object.defineProperty(prototype, name, {
        get(this: Entity) {
          return this.at(name);
        },
      });
    }
  }
}
