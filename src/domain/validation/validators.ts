import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import { FAULTS_SOUGHT, type Fault, invalidInput } from '../../errors.ts';
import type { DocumentType, EntityType } from '../../model/entity/entity-type.ts';
import { type KeyedField, keyedFieldsOfType } from '../../model/fields/fields.ts';
import type { Schema } from '../../model/fields/schema-parts.ts';
import { contradictions } from '../../model/fields/spellings.ts';
import { DATETIME_FORMS, instantOf } from '../../model/instant.ts';
import { isObject, type JsonObject, pointer, sameJson, valueAt } from '../../model/json.ts';
import { isCountryCode } from '../../model/reference-data/countries.ts';
import { isUuid } from '../../model/uuid.ts';
import { shapeFaults } from './body-shape.ts';

const REFERENCE_FORMS = 'must be the id of a catalog record, or an object with an xref and/or a name (or an id)';

const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: true });
ajv.addFormat('uuid', isUuid);
ajv.addFormat('datetime', (text: string) => instantOf(text) !== undefined);
ajv.addFormat('country-code', isCountryCode);
ajv.addKeyword({ keyword: 'x-catalog', validate: isReference, error: { message: REFERENCE_FORMS } });
ajv.addKeyword({ keyword: 'x-named', validate: namesRecord, error: { message: 'must have an xref and/or a name' } });

ajv.addKeyword({ keyword: 'x-items', schemaType: 'object', errors: 'full', compile: eachItem });

/** Checks bodies of one entity type; compiled once. */
export interface BodyValidator {
  readonly type: EntityType;
  readonly keyed: readonly KeyedField[];
  /** Every fault of a new body. `requireFields`: those that the type requires in the document form must be present. */
  faults(body: JsonObject, requireFields: boolean): Fault[];
  /** The faults that a merge patch has whatever it is applied to. */
  faultsOfPatch(patch: JsonObject): Fault[];
  /** Every fault of a changed body. What the change leaves as it was is not held against it (contract §11). */
  faultsOfChange(before: JsonObject, after: JsonObject, requireFields?: boolean): Fault[];
}

const compiled = new Map<EntityType, BodyValidator>();

/** The validator of that type. */
export function validatorOf(type: EntityType): BodyValidator {
  const known = compiled.get(type);
  if (known) return known;
  const made = compileValidator(type);
  compiled.set(type, made);
  return made;
}

/** Throws INVALID_INPUT with all the faults, if there are any. */
export function throwIfInvalid(faults: readonly Fault[]): void {
  if (faults.length > 0) throw invalidInput(faults);
}

function compileValidator(type: EntityType & Pick<DocumentType, 'extensionSchema'>): BodyValidator {
  const keyed = keyedFieldsOfType(type);
  const check = ajv.compile(forAjv(type.schema));
  const faults = (body: JsonObject) => {
    const inShape = shapeFaults(body);
    const named = new Set(inShape.map((fault) => ('path' in fault ? fault.path : '')));
    return [
      ...inShape,
      ...schemaFaults(check, body).filter(({ path }) => !named.has(path)),
      ...spellingFaults(keyed, body),
    ];
  };
  const missing = (body: JsonObject) => type.required.filter((path) => isMissing(body, path));
  return {
    type,
    keyed,
    faults(body, requireFields) {
      const found = faults(body);
      const known = new Set(found.map((fault) => ('path' in fault ? fault.path : '')));
      const required = requireFields ? missing(body).map(requiredFault) : [];
      return [...found, ...required.filter((fault) => !known.has(fault.path))];
    },
    faultsOfPatch: (patch) =>
      faults(patch).filter((fault) => 'path' in fault && (pointedAt(patch, fault.path) ?? null) !== null),
    faultsOfChange(before, after, requireFields = true) {
      const kept = new Set(missing(before));
      const removed = requireFields ? missing(after).filter((path) => !kept.has(path)) : [];
      const known = new Set(removed.map((path) => requiredFault(path).path));
      return [
        ...faults(after).filter(
          (fault) => 'path' in fault && !known.has(fault.path) && !isUnchanged(fault.path, before, after),
        ),
        ...removed.map(requiredFault),
      ];
    },
  };
}

const requiredFault = (path: string): { path: string; message: string } => ({
  path: pointer(path.split('.')),
  message: 'is required.',
});

const isMissing = (body: JsonObject, path: string): boolean => (valueAt(body, path.split('.')) ?? null) === null;

/** A fault of a value that the change left as it was, such as a free-text status from the Data API. */
function isUnchanged(path: string, before: JsonObject, after: JsonObject): boolean {
  const old = pointedAt(before, path);
  return old !== undefined && sameJson(old, pointedAt(after, path));
}

/** The value that a JSON Pointer leads to, through objects. */
const pointedAt = (body: JsonObject, path: string): unknown =>
  valueAt(
    body,
    path
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
  );

function schemaFaults(check: ValidateFunction, body: JsonObject): { path: string; message: string }[] {
  if (check(body)) return [];
  return (check.errors ?? []).map((error) => ({ path: placeOf(error), message: textOf(error) }));
}

const spellingFaults = (keyed: readonly KeyedField[], body: JsonObject): Fault[] =>
  contradictions(keyed, body).map(({ name, alias }) => ({
    path: pointer([name]),
    message: `differs from ${alias}, which is another spelling of the same field: send one of them.`,
  }));

const placeOf = (error: ErrorObject): string =>
  error.keyword === 'required'
    ? `${error.instancePath}${pointer([String(error.params.missingProperty)])}`
    : error.instancePath;

/** What a text of a format must be. */
const FORMS: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  'country-code': 'a two-letter country code of ISO 3166-1 (NL, SG, US, …), assigned or user-assigned',
};

function textOf(error: ErrorObject): string {
  switch (error.keyword) {
    case 'required':
      return 'is required.';
    case 'type':
      return `must be ${[error.params.type].flat().join(' or ')}.`;
    case 'enum':
      return `must be one of ${error.params.allowedValues.filter((value: unknown) => value !== null).join(', ')}.`;
    case 'format':
      return `must be ${FORMS[error.params.format] ?? DATETIME_FORMS}.`;
    case 'minProperties':
      return 'must not be empty.';
    case 'pattern':
      return error.params.pattern === '\\S' ? 'must not be empty.' : `must match ${error.params.pattern}.`;
    default:
      return `${error.message ?? 'is invalid'}.`;
  }
}

interface AjvSchema extends Omit<Schema, 'items'> {
  readonly 'x-items'?: AjvSchema;
  readonly 'x-item'?: boolean;
  readonly 'x-named'?: readonly string[];
}

/**
 * The schema for ajv: a catalog reference is checked by its keyword alone, which has the clearer error; one that is
 * always an object has members of its own to check.
 */
function forAjv(given: Schema, isItem = false): AjvSchema {
  const { 'x-catalog': catalog, items, ...schema } = given;
  if (catalog && !schema.properties) return { 'x-catalog': catalog, ...(isItem && { 'x-item': true }) };
  return {
    ...schema,
    ...(catalog && { 'x-named': schema.required ?? [] }),
    ...(items && { 'x-items': forAjv(items, true) }),
    ...(schema.properties && {
      properties: Object.fromEntries(Object.entries(schema.properties).map(([name, part]) => [name, forAjv(part)])),
    }),
  };
}

/** What `items` means, but that it stops when so many faults were found: ajv itself would go through a million of them. */
function eachItem(schema: AjvSchema): DataValidateFunction {
  const check = ajv.compile(schema);
  const validate: DataValidateFunction = (items: unknown, at) => {
    const found: ErrorObject[] = [];
    if (!Array.isArray(items)) return true;
    for (let index = 0; index < items.length && found.length < FAULTS_SOUGHT; index++) {
      if (check(items[index])) continue;
      for (const error of check.errors ?? []) {
        found.push({ ...error, instancePath: `${at?.instancePath ?? ''}/${index}${error.instancePath}` });
      }
    }
    validate.errors = found;
    return found.length === 0;
  };
  return validate;
}

/** A bare null is not a reference, and in a list it has no meaning. */
function isReference(_catalog: unknown, value: unknown, schema?: AjvSchema): boolean {
  if (value === null) return !schema?.['x-item'];
  if (typeof value === 'string') return isUuid(value);
  if (!isObject(value)) return false;
  const { id, xref, name } = value;
  if (![xref, name].every((part) => part === undefined || part === null || typeof part === 'string')) return false;
  if (id !== undefined && id !== null) return typeof id === 'string' && isUuid(id);
  return [xref, name].some((part) => typeof part === 'string' && part.trim() !== '');
}

/** Whether an object names a record; a member that is wrong or missing in itself is another keyword's fault. */
function namesRecord(required: readonly string[], value: unknown): boolean {
  if (!isObject(value)) return true;
  const { id = null, xref = null, name = null } = value;
  if (id !== null || required.some((member) => value[member] === undefined)) return true;
  return [xref, name].some((part) => part !== null && (typeof part !== 'string' || part.trim() !== ''));
}
