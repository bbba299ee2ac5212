import { REFERENCE_FORMS } from '../../src/model/fields/schema-parts.ts';
import type { JsonSchema } from '../declare/json-schema.ts';
import { schemaRef } from './named-schemas.ts';

const NAMES = 'CatalogRecordNames';
const REFERENCE = 'CatalogRecordReference';
const REQUIRED = 'RequiredCatalogRecordReference';
const FORMS = [REFERENCE_FORMS.id, schemaRef(NAMES)];

/** The schemas that all catalog references share, by name. */
export const referenceSchemas: Readonly<Record<string, JsonSchema>> = {
  [NAMES]: { description: 'A record of a catalog, by its xref or name.', ...REFERENCE_FORMS.names },
  [REFERENCE]: {
    description: 'The id of a record of a catalog, or what names it.',
    anyOf: [...FORMS, { type: 'null' }],
  },
  [REQUIRED]: { description: 'The same, where null is not allowed.', anyOf: FORMS },
};

/** The schema with every catalog reference replaced by a reference to the shared schema. */
export const withReferences = (schema: JsonSchema): JsonSchema => referring(schema) as JsonSchema;

function referring(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(referring);
  if (typeof part !== 'object' || part === null) return part;
  const { anyOf, ...members } = part as JsonSchema;
  if ('x-catalog' in members && Array.isArray(anyOf)) {
    return { ...schemaRef(anyOf.length > FORMS.length ? REFERENCE : REQUIRED), ...members };
  }
  return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, referring(inner)]));
}
