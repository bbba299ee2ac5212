import { throwIfInvalid, type Violation } from '../../errors.ts';
import type { Schema } from '../../model/fields/schema-parts.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { type Coordinates, coordinatesOf, decimalDegrees } from '../../model/reference-data/coordinates.ts';
import { listedGradeCode } from '../../model/reference-data/grade-kinds.ts';
import { LONGEST_CODE, type ReferenceType } from '../../model/reference-data/reference-types.ts';
import { validatorOf } from '../validation/validators.ts';

/** The stored form of the body; INVALID_INPUT lists every violation of the body and of the code. */
export function keptBody(type: ReferenceType, code: string, sent: JsonObject): JsonObject {
  const body = completed(type, sent);
  throwIfInvalid([
    ...codeFaults(code),
    ...addressFaults(code),
    ...validatorOf(type).violations(body, true),
    ...positionViolations(type, body),
  ]);
  return inCapitals(type.schema, body) as JsonObject;
}

/** The violations of a client code. */
export function codeFaults(code: string): Violation[] {
  const length = [...code].length;
  if (length >= 1 && length <= LONGEST_CODE && code.isWellFormed()) return [];
  return [{ parameter: 'clientCode', message: `must have 1 to ${LONGEST_CODE} characters; this one has ${length}.` }];
}

/** The violation of a code that no address can end in: clients remove such a segment (RFC 3986, 5.2.4). */
const addressFaults = (code: string): Violation[] =>
  code === '.' || code === '..'
    ? [{ parameter: 'clientCode', message: 'must not be "." or "..", which no client can send in an address.' }]
    : [];

/** The position of a record, if its type has one and its body gives it. */
export const positionOf = (type: ReferenceType, body: JsonObject): Coordinates | undefined =>
  hasPlace(type) ? coordinatesOf((name) => body[name]) : undefined;

const hasPlace = ({ schema }: ReferenceType): boolean => schema.properties?.latitudeDeg !== undefined;

/** The body without the fields that the service sets, with defaults filled in and codes as they are listed. */
function completed({ schema, defaults }: ReferenceType, sent: JsonObject): JsonObject {
  const own = Object.entries(sent).filter(([name]) => !partOf(schema, name)?.readOnly);
  const given: JsonObject = Object.fromEntries(own);
  const left = Object.entries(defaults).filter(([name]) => (given[name] ?? null) === null);
  const body: JsonObject = { ...given, ...Object.fromEntries(left) };
  const { gradeTypeCode } = body;
  const isGrade = partOf(schema, 'gradeTypeCode') !== undefined && typeof gradeTypeCode === 'string';
  return isGrade ? { ...body, gradeTypeCode: listedGradeCode(gradeTypeCode) } : body;
}

const partOf = ({ properties }: Schema, name: string): Schema | undefined =>
  properties && Object.hasOwn(properties, name) ? properties[name] : undefined;

const MOST = { latitude: 90, longitude: 180 } as const;

/** Degrees that are within range by themselves, but out of range with their minutes and seconds. */
function positionViolations(type: ReferenceType, body: JsonObject): Violation[] {
  if (!hasPlace(type)) return [];
  return (['latitude', 'longitude'] as const).flatMap((axis) => {
    const most = MOST[axis];
    const whole = decimalDegrees((name) => body[name], axis) ?? 0;
    if (whole <= most || Number(body[`${axis}Deg`]) > most) return [];
    return [{ path: `/${axis}Deg`, message: `must be at most ${most} with its minutes and seconds.` }];
  });
}

/** Country codes in capitals, wherever the schema has one. */
function inCapitals(schema: Schema, value: Json): Json {
  if (schema.format === 'country-code') return typeof value === 'string' ? value.toUpperCase() : value;
  const { items } = schema;
  if (Array.isArray(value)) return items ? value.map((item: Json) => inCapitals(items, item)) : value;
  if (!schema.properties || !isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, inCapitals(partOf(schema, name) ?? {}, member)]),
  );
}
