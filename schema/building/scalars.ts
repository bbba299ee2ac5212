import { type ASTNode, GraphQLError, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { DATA_API_FORMS } from '../../src/model/data-api/data-api-job.ts';
import { job } from '../../src/model/document-types/job.ts';
import { anyDocument, RESULT_TYPES } from '../../src/model/document-types.ts';
import { catalogRecordType, organizationType, workspaceType } from '../../src/model/entity/entity-types.ts';
import { graphqlTypeName } from '../../src/model/entity/graphql-names.ts';
import { exactNumber } from '../../src/model/exact-json.ts';
import type { Schema } from '../../src/model/fields/schema-parts.ts';
import { DATETIME_FORMS } from '../../src/model/instant.ts';
import { isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import {
  companyType,
  gradeType,
  inlandFacilityType,
  portType,
} from '../../src/model/reference-data/reference-types.ts';
import { isUuid } from '../../src/model/uuid.ts';
import { WEBHOOK_PATCH_SCHEMA, WEBHOOK_SCHEMA } from '../../src/model/webhooks/webhook-form.ts';
import { builder, type OpenObjectName } from './builder.ts';

builder.scalarType('UUID', {
  description: 'A UUID (RFC 9562), in lower case.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc9562',
  serialize: (value) => value,
  parseValue: (value) => asUuid(value),
  parseLiteral: (node, variables) => asUuid(valueFromASTUntyped(node as ValueNode, variables), node),
});

function asUuid(value: unknown, node?: ASTNode): string {
  if (typeof value === 'string' && isUuid(value)) return value.toLowerCase();
  throw badInput(`must be a UUID, not ${JSON.stringify(value)}.`, node);
}

builder.scalarType('DateTime', {
  description:
    'An ISO 8601 date and time with seconds and an offset, or a date alone. Times set by the service are in UTC with milliseconds; times in bodies are returned as sent.',
  serialize: (value) => (value instanceof Date ? isoText(value) : value),
  parseValue: (value) => asTime(value),
  parseLiteral: (node, variables) => asTime(valueFromASTUntyped(node as ValueNode, variables), node),
});

function asTime(value: unknown, node?: ASTNode): string {
  if (typeof value === 'string') return value;
  throw badInput(`must be ${DATETIME_FORMS}.`, node);
}

/** The number of time texts to cache: those of frequently requested pages. */
const REMEMBERED = 1_024;
const rememberedTimes = new Float64Array(REMEMBERED).fill(Number.NaN);
const rememberedTexts: string[] = Array.from({ length: REMEMBERED }, () => '');

/** ISO 8601 text, cached until another time replaces it. */
function isoText(date: Date): string {
  const time = date.getTime();
  const place = Math.abs(time % REMEMBERED);
  if (rememberedTimes[place] === time) return rememberedTexts[place] as string;
  const text = date.toISOString();
  rememberedTimes[place] = time;
  rememberedTexts[place] = text;
  return text;
}

builder.scalarType('JSON', {
  description: 'Any JSON value.',
  serialize: (value) => value,
  parseValue: (value) => value as Json,
  parseLiteral: (node, variables) => literal(node as ValueNode, variables) as Json,
});

/** How OpenAPI treats a JSON object: a body is also returned in responses, a patch has no filters. */
interface OpenObjectExtensions {
  readonly jsonSchema: Schema;
  readonly role?: 'body' | 'patch';
}

/** Declares a scalar for a JSON object that allows unknown members; OpenAPI uses its JSON Schema. */
function openObject(name: OpenObjectName, description: string, extensions: OpenObjectExtensions): void {
  builder.scalarType(name, {
    description,
    serialize: (value) => value as JsonObject,
    parseValue: (value) => asObject(value),
    parseLiteral: (node, variables) => asObject(literal(node as ValueNode, variables), node),
    extensions: { ...extensions },
  });
}

/** The value of a literal; its numbers are read as in a variable, and an omitted variable omits its member. */
function literal(node: ValueNode, variables: Parameters<typeof valueFromASTUntyped>[1]): unknown {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return exactNumber(node.value);
    case Kind.LIST:
      return node.values.map((item) => literal(item, variables) ?? null);
    case Kind.OBJECT: {
      const members = node.fields.map(({ name, value }) => [name.value, literal(value, variables)] as const);
      return Object.fromEntries(members.filter(([, value]) => value !== undefined));
    }
    default:
      return valueFromASTUntyped(node, variables);
  }
}

function asObject(value: unknown, node?: ASTNode): JsonObject {
  if (isObject(value)) return value;
  throw badInput('must be a JSON object.', node);
}

/** The error of a value, located at its literal if there is one. */
const badInput = (message: string, node?: ASTNode): GraphQLError =>
  new GraphQLError(`The value ${message}`, { ...(node && { nodes: node }), extensions: { code: 'BAD_USER_INPUT' } });

/** The schema of a merge patch: no member is required. */
function patchOf({ required: _required, ...schema }: Schema): Schema {
  return { ...schema, ...(schema.properties && { properties: mapValues(schema.properties, patchOf) }) };
}

/** A member of any type that a patch may contain without effect (contract §11). */
const IGNORED: Schema = { description: 'Ignored: it never changes.' };
const ignoredIn = new Map<Schema, readonly string[]>([[workspaceType.schema, ['parties']]]);

/** The schema of a merge patch of an entity. */
function patchSchema(schema: Schema): Schema {
  const patch = patchOf(schema);
  const ignored = ignoredIn.get(schema)?.map((name) => [name, IGNORED] as const);
  return ignored ? { ...patch, properties: { ...patch.properties, ...Object.fromEntries(ignored) } } : patch;
}

const mapValues = (parts: Readonly<Record<string, Schema>>, change: (part: Schema) => Schema) =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part)]));

const kinds = [
  ['Organization', 'an organization', organizationType.schema],
  ['Workspace', 'a workspace', workspaceType.schema],
  ['Document', 'a document, shaped by its type', anyDocument.schema],
  ['Job', 'an inspection job', job.schema],
  ...RESULT_TYPES.map(({ noun, phrases, schema }) => [graphqlTypeName(noun), phrases.one, schema] as const),
  ['CatalogRecord', 'a catalog record', catalogRecordType.schema],
] as const;

for (const [name, what, schema] of kinds) {
  openObject(`${name}Body`, `The body of ${what}. Unknown members are stored and returned.`, {
    jsonSchema: schema,
    role: 'body',
  });
  openObject(`${name}Patch`, `A JSON Merge Patch (RFC 7396) of ${what}: null removes a member.`, {
    jsonSchema: patchSchema(schema),
    role: 'patch',
  });
}

openObject('WebhookBody', 'A webhook to be created. Unknown members are rejected.', { jsonSchema: WEBHOOK_SCHEMA });
openObject('WebhookPatch', 'The changes to a webhook. Unknown members are rejected.', {
  jsonSchema: WEBHOOK_PATCH_SCHEMA,
});

const { create, submit, single } = DATA_API_FORMS;
const dataApiJob: Schema = {
  title: 'Job of the Data API',
  anyOf: [create.schema, submit.schema, single.schema],
};
openObject(
  'DataApiJobBody',
  'A job as the Data API accepts it, in either of its two shapes. Unknown members are stored and returned.',
  { jsonSchema: dataApiJob, role: 'body' },
);
openObject(
  'DataApiJobSubmission',
  'A job in the submit form of Shape A of the Data API. Unknown members are stored and returned.',
  { jsonSchema: submit.schema },
);
openObject('BridgeJobBody', 'The former name of DataApiJobBody; removed in 1.0.', {
  jsonSchema: dataApiJob,
  role: 'body',
});
openObject('BridgeJobSubmission', 'The former name of DataApiJobSubmission; removed in 1.0.', {
  jsonSchema: submit.schema,
});

const references = [
  ['Port', portType],
  ['InlandFacility', inlandFacilityType],
  ['Grade', gradeType],
  ['Company', companyType],
] as const;

for (const [name, { noun, schema }] of references) {
  const about = `The body of a reference record, ${noun}. Unknown members are kept; clientCode and other members that the service sets are ignored.`;
  openObject(`${name}Body`, about, { jsonSchema: schema, role: 'body' });
}
