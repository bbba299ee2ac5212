import { isUtf8 } from 'node:buffer';
import type { GraphQLSchema } from 'graphql';
import { invalidInput, ServiceError, throwIfInvalid, type Violation } from '../../src/errors.ts';
import type { Operation } from '../../src/gateway.ts';
import { parseQuery } from '../../src/http/query-string.ts';
import { exactNumber } from '../../src/model/exact-json.ts';
import type { Schema } from '../../src/model/fields/schema-parts.ts';
import { type JsonObject, pointer } from '../../src/model/json.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import { variableTypes } from './compile-sources.ts';

/** Parses a URL-encoded form into a JSON object. */
export type ReadUrlencoded = (body: Buffer) => JsonObject;

/**
 * Compiles the parser of a URL-encoded body: numbers and booleans by the types of the body's members (contract §11),
 * everything else as text. Undefined if the endpoint takes only JSON.
 */
export function compileUrlencoded(
  endpoint: Endpoint,
  operation: Operation,
  schema: GraphQLSchema,
): ReadUrlencoded | undefined {
  const [variable] = Object.entries(endpoint.variables).find(([, one]) => one.from === 'body' && one.orForm) ?? [];
  if (variable === undefined) return undefined;
  const type = schema.getType(variableTypes(operation, schema).get(variable)?.type ?? '');
  const { properties = {} } = (type?.extensions.jsonSchema ?? {}) as Schema;
  return (body) => read(body, (name) => (Object.hasOwn(properties, name) ? properties[name] : undefined));
}

/** How many fields a form may have. */
const MOST_FIELDS = 1_000;

/** Throws TOO_LARGE for more fields than that, without reading them. */
function checkFields(body: Buffer): void {
  let fields = 1;
  for (let at = body.indexOf('&'); at !== -1; at = body.indexOf('&', at + 1)) {
    if (++fields > MOST_FIELDS) {
      throw new ServiceError('TOO_LARGE', `The form has more than the ${MOST_FIELDS} fields that are allowed.`);
    }
  }
}

function read(body: Buffer, partOf: (name: string) => Schema | undefined): JsonObject {
  if (!isUtf8(body)) throw invalidInput([{ path: '', message: 'is not valid UTF-8.' }]);
  checkFields(body);
  const broken: Violation[] = [];
  const fields = [...parseQuery(body.toString('utf8'), broken)];
  const violations = [
    ...broken.map((violation) =>
      'parameter' in violation ? atField(violation.parameter, violation.message) : violation,
    ),
    ...fields.filter(([, values]) => values.length > 1).map(([name]) => atField(name, 'is given more than once.')),
  ];
  throwIfInvalid(violations);
  return Object.fromEntries(fields.map(([name, [text = '']]) => [name, typed(text, partOf(name))]));
}

const atField = (name: string, message: string): Violation => ({ path: pointer([name]), message });

/** A text that does not match its type is passed on unchanged, and rejected when the body is validated. */
function typed(text: string, part: Schema | undefined): string | number | boolean {
  const types = [part?.type].flat();
  const isNumber = types.includes('number') || types.includes('integer');
  if (isNumber && text.trim() !== '' && Number.isFinite(Number(text))) return exactNumber(text.trim());
  if (types.includes('boolean') && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}
