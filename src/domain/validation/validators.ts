import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { AnySchemaObject, DataValidateFunction } from 'ajv/dist/types/index.js';
import { VIOLATIONS_SOUGHT, type Violation } from '../../errors.ts';
import type { DocumentType, EntityType } from '../../model/entity/entity-type.ts';
import { contradictoryAliases } from '../../model/fields/field-aliases.ts';
import { type KeyedField, keyedFieldsOfType } from '../../model/fields/fields.ts';
import type { Schema } from '../../model/fields/schema-parts.ts';
import { DATETIME_FORMS, requestedInstantOf } from '../../model/instant.ts';
import { isObject, type JsonObject, pointer, sameJson, valueAt } from '../../model/json.ts';
import { isCountryCode } from '../../model/reference-data/countries.ts';
import { isUuid } from '../../model/uuid.ts';
import { shapeViolations } from './body-shape.ts';
import { catalogKeyword } from './catalog-keyword.ts';

/** The schemas are our own: a test checks them against their meta-schema, so start-up does not. */
const ajv = new Ajv2020({ allErrors: true, strict: false, verbose: true, validateSchema: false });
ajv.addFormat('uuid', isUuid);
ajv.addFormat('datetime', (text: string) => requestedInstantOf(text) !== undefined);
ajv.addFormat('country-code', isCountryCode);
ajv.addKeyword({ keyword: 'x-named', validate: namesRecord, error: { message: 'must have an xref and/or a name' } });

ajv.addKeyword(catalogKeyword);
ajv.addKeyword({ keyword: 'x-items', schemaType: 'object', errors: 'full', compile: eachItem });

/** Validates bodies of one entity type; compiled on first use. */
export interface BodyValidator {
  readonly type: EntityType;
  readonly keyed: readonly KeyedField[];
  /** Every violation of a new body. With `requireFields`, the fields that the type requires in the document form must be present. */
  violations(body: JsonObject, requireFields: boolean): Violation[];
  /** The violations of a merge patch that do not depend on what it is applied to. */
  violationsOfPatch(patch: JsonObject): Violation[];
  /** Every violation of a changed body, except in parts that the change left as they were (contract §11). */
  violationsOfChange(before: JsonObject, after: JsonObject, requireFields?: boolean): Violation[];
}

const compiled = new Map<EntityType, BodyValidator>();

/** The validator of an entity type. */
export function validatorOf(type: EntityType): BodyValidator {
  const known = compiled.get(type);
  if (known) return known;
  const made = compileValidator(type);
  compiled.set(type, made);
  return made;
}

function compileValidator(type: EntityType & Pick<DocumentType, 'extensionSchema'>): BodyValidator {
  const keyed = keyedFieldsOfType(type);
  let compiledSchema: ValidateFunction | undefined;
  const check = (): ValidateFunction => (compiledSchema ??= ajv.compile(forAjv(type.schema)));
  const ofSchema = (body: JsonObject) => {
    const inShape = shapeViolations(body);
    const named = new Set(inShape.map((violation) => ('path' in violation ? violation.path : '')));
    return [...inShape, ...schemaViolations(check(), body).filter(({ path }) => !named.has(path))];
  };
  const violations = (body: JsonObject) => [...ofSchema(body), ...aliasViolations(contradictoryAliases(keyed, body))];
  const missing = (body: JsonObject) => type.required.filter((path) => isMissing(body, path));
  return {
    type,
    keyed,
    violations(body, requireFields) {
      const found = violations(body);
      const known = new Set(found.map((violation) => ('path' in violation ? violation.path : '')));
      const required = requireFields ? missing(body).map(requiredViolation) : [];
      return [...found, ...required.filter((violation) => !known.has(violation.path))];
    },
    violationsOfPatch: (patch) =>
      violations(patch).filter(
        (violation) => 'path' in violation && (pointedAt(patch, violation.path) ?? null) !== null,
      ),
    violationsOfChange(before, after, requireFields = true) {
      const kept = new Set(missing(before));
      const removed = requireFields ? missing(after).filter((path) => !kept.has(path)) : [];
      const known = new Set(removed.map((path) => requiredViolation(path).path));
      const contradictions = contradictoryAliases(keyed, after).filter(
        ({ name, alias = name }) => ![name, alias].every((member) => isUnchanged(pointer([member]), before, after)),
      );
      return [
        ...ofSchema(after).filter(
          (violation) =>
            'path' in violation && !known.has(violation.path) && !isUnchanged(violation.path, before, after),
        ),
        ...aliasViolations(contradictions),
        ...removed.map(requiredViolation),
      ];
    },
  };
}

const requiredViolation = (path: string): { path: string; message: string } => ({
  path: pointer(path.split('.')),
  message: 'is required.',
});

const isMissing = (body: JsonObject, path: string): boolean => (valueAt(body, path.split('.')) ?? null) === null;

/** A violation of a value that the change left as it was, such as a free-text status from the Data API. */
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

function schemaViolations(check: ValidateFunction, body: JsonObject): { path: string; message: string }[] {
  if (check(body)) return [];
  return (check.errors ?? []).map((error) => ({ path: placeOf(error), message: textOf(error) }));
}

const aliasViolations = (contradictory: readonly KeyedField[]): Violation[] =>
  contradictory.map(({ name, alias }) => ({
    path: pointer([name]),
    message: `differs from ${alias}, which is another spelling of the same field: send one of them.`,
  }));

const placeOf = (error: ErrorObject): string =>
  error.keyword === 'required'
    ? `${error.instancePath}${pointer([String(error.params.missingProperty)])}`
    : error.instancePath;

/** The required form of a text, by its format. */
const FORMS: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  'country-code': 'a two-letter country code of ISO 3166-1 (NL, SG, US, …), assigned or user-assigned',
};

const formOf = (format: string): string => FORMS[format] ?? DATETIME_FORMS;

/** The types that fit; a text with a format is described by its required form. */
function typesOf({ params, parentSchema }: ErrorObject): string[] {
  const format: string | undefined = parentSchema?.format;
  return [params.type].flat().map((type) => (type === 'string' && format !== undefined ? formOf(format) : type));
}

function textOf(error: ErrorObject): string {
  switch (error.keyword) {
    case 'required':
      return 'is required.';
    case 'type':
      return `must be ${typesOf(error).join(' or ')}.`;
    case 'enum':
      return `must be one of ${error.params.allowedValues.map((value: unknown) => value ?? 'or null').join(', ')}.`;
    case 'format':
      return `must be ${formOf(error.params.format)}.`;
    case 'minProperties':
      return 'must not be empty.';
    case 'maxItems':
      return `must have at most ${error.params.limit} items.`;
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
 * The schema for ajv: a catalog reference is checked only by its own keyword, which has the clearer error; a reference that is
 * always an object has members of its own to check.
 */
function forAjv(given: Schema, isItem = false): AjvSchema {
  const { 'x-catalog': catalog, items, not: _inWords, ...schema } = given;
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

/**
 * Like `items`, but stops after VIOLATIONS_SOUGHT violations: ajv itself would go through a million of them. It does not look into a list
 * that is too long, which is told by `maxItems`.
 */
function eachItem(schema: AjvSchema, { maxItems = Number.POSITIVE_INFINITY }: AnySchemaObject): DataValidateFunction {
  const check = ajv.compile(schema);
  const validate: DataValidateFunction = (items: unknown, at) => {
    const found: ErrorObject[] = [];
    if (!Array.isArray(items) || items.length > maxItems) return true;
    for (let index = 0; index < items.length && found.length < VIOLATIONS_SOUGHT; index++) {
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

/** Whether an object names a record; a wrong or missing member is a violation of another keyword. */
function namesRecord(required: readonly string[], value: unknown): boolean {
  if (!isObject(value)) return true;
  const { id = null, xref = null, name = null } = value;
  if (id !== null || required.some((member) => value[member] === undefined)) return true;
  return [xref, name].some((part) => part !== null && (typeof part !== 'string' || part.trim() !== ''));
}
