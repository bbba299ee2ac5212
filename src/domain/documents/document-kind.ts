import { invalidInput } from '../../errors.ts';
import { fieldsOfDocument } from '../../model/data-api/data-api-fields.ts';
import { DOCUMENT_TYPES, documentType } from '../../model/document-types.ts';
import type { StoredDocument } from '../../model/entity/entity.ts';
import type { DocumentType } from '../../model/entity/entity-type.ts';
import { keysOf } from '../../model/fields/field-keys.ts';
import { type FieldTable, type ReferencePath, referencePathsOf } from '../../model/fields/fields.ts';
import { storedParts } from '../../model/fields/text-parts.ts';
import { type WhereTable, whereTableOf } from '../../model/fields/where-table.ts';
import type { JsonObject } from '../../model/json.ts';
import { type BodyValidator, validatorOf } from '../validation/validators.ts';
import { type DocumentRules, rulesOf } from './rules.ts';

/** A document type with everything derived from its schema. */
export interface DocumentKind {
  readonly type: DocumentType;
  readonly validator: BodyValidator;
  readonly fields: FieldTable;
  readonly where: WhereTable;
  readonly references: readonly ReferencePath[];
  /** The members that hold ids of other entities. */
  readonly links: readonly string[];
  readonly rules: DocumentRules;
}

const kinds = new Map(
  DOCUMENT_TYPES.map((type): [string, DocumentKind] => [
    type.name,
    {
      type,
      validator: validatorOf(type),
      fields: fieldsOfDocument(type),
      where: whereTableOf(type),
      references: referencePathsOf(type.schema),
      links: Object.entries(type.schema.properties ?? {}).flatMap(([name, part]) => (part['x-link'] ? name : [])),
      rules: rulesOf(type.name),
    },
  ]),
);

/** Every kind. */
export const documentKinds = (): readonly DocumentKind[] => [...kinds.values()];

/** The kind for a type name or alias; INVALID_INPUT names the parameter and lists the known types. */
export function documentKind(name: string, parameter = 'type'): DocumentKind {
  const kind = kinds.get(documentType(name)?.name ?? '');
  if (kind) return kind;
  const message = `"${name}" is not a document type: there are ${[...kinds.keys()].join(', ')}.`;
  throw invalidInput([{ parameter, message }]);
}

/** The stored fields that are derived from a document's body. */
export function derivedParts(
  { type, validator, rules }: DocumentKind,
  body: JsonObject,
  refs: Iterable<string>,
): Pick<StoredDocument, 'refs' | 'keys' | 'parts' | 'unique_for'> {
  const unique = rules.unique(body);
  return {
    refs: [...new Set(refs)].sort(),
    keys: keysOf(validator.keyed, body),
    ...storedParts(type.name, body),
    ...(unique !== undefined && { unique_for: unique }),
  };
}
