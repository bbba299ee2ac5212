import { type GraphQLInputType, type GraphQLSchema, typeFromAST } from 'graphql';
import type { Operation } from '../../src/gateway.ts';
import { type Endpoint, takesKey } from '../declare/endpoint.ts';
import type { Source } from '../declare/source.ts';
import { DEFAULT_PAGE_SIZE, PAGE, PAGE_SIZE } from '../serve/replies/search.ts';
import { variableTypes } from '../serve/sources/bind.ts';
import { contentParameters, formBodyOf } from './files.ts';
import { filterParameters } from './filters.ts';
import { type JsonSchema, typeSchema } from './schemas.ts';

const WHOLE = { type: ['integer', 'null'], maximum: 2147483647 }; // null counts as absent (contract §11)

const IF_MATCH = header('If-Match', 'ETags, any of which the entity must still have; else 412. Weak tags never match.');
const IF_NONE_MATCH = header('If-None-Match', 'ETags that the client has; where one is current, the answer is 304.');
const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'Up to 128 characters. The same request with the same key is done once, and answered alike for 24 hours.',
  { minLength: 1, maxLength: 128 },
);

function header(name: string, description: string, limits: JsonSchema = {}): JsonSchema {
  return { name, in: 'header', description, schema: { type: 'string', ...limits } };
}

const acceptVersion = (version: string): JsonSchema => ({
  ...header('Accept-Version', 'The version of the family that is asked for.'),
  schema: { const: version },
});

/** What a request can carry beside its body, read off the sources of an endpoint. */
export function parametersOf(endpoint: Endpoint, operation: Operation, schema: GraphQLSchema): JsonSchema[] {
  const types = variableTypes(operation, schema);
  const parameters = Object.entries(endpoint.variables).flatMap(([variable, source]) =>
    describe(source, {
      endpoint,
      required: types.get(variable)?.required === true,
      schema: variableSchema(operation, variable, schema),
    }),
  );
  if (endpoint.family.version !== undefined && !endpoint.open) parameters.push(acceptVersion(endpoint.family.version));
  if (endpoint.method === 'GET' && endpoint.reply.kind === 'one') parameters.push(IF_NONE_MATCH);
  if (endpoint.reply.kind === 'content') parameters.push(IF_NONE_MATCH, ...contentParameters);
  if (takesKey(endpoint)) parameters.push(IDEMPOTENCY_KEY);
  return parameters;
}

interface Place {
  readonly endpoint: Endpoint;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

function describe(source: Source, place: Place): JsonSchema[] {
  switch (source.from) {
    case 'path':
      return [
        {
          name: source.name,
          in: 'path',
          required: true,
          ...described(source.description),
          schema: { ...place.schema, ...(source.among && { enum: source.among }) },
        },
      ];
    case 'form':
    case 'query':
      return [
        query(source.name, place.required ? { ...place.schema, minLength: 1 } : place.schema, {
          ...described(source.description),
          ...(place.required && { required: true }),
        }),
      ];
    case 'if-match':
      return [IF_MATCH];
    case 'sort':
      return [
        query(
          'sort',
          { type: 'string', default: 'created_at:desc,id:asc' },
          described('field:asc or field:desc, separated by commas.'),
        ),
      ];
    case 'limit':
      return [limit(place.endpoint.family.defaultLimit)];
    case 'offset':
      return [
        query('offset', { ...WHOLE, minimum: 0, default: 0 }, described('How many items to leave out at the start.')),
      ];
    case 'page-size': {
      const size = { type: ['integer', 'null'], minimum: 1, maximum: source.most, default: DEFAULT_PAGE_SIZE };
      return [query(PAGE_SIZE, size, described('How many results a page has.'))];
    }
    case 'page-start':
      return [query(PAGE, { ...WHOLE, minimum: 1, default: 1 }, described('Which page; the first is 1.'))];
    case 'texts':
      return [
        {
          name: source.name,
          in: 'query',
          description: `${source.description} A JSON array of at most ${source.most}.`,
          content: {
            'application/json': { schema: { type: 'array', items: { type: 'string' }, maxItems: source.most } },
          },
        },
      ];
    case 'filters':
      return [...named(source.named), ...filterParameters(place.endpoint)];
    default:
      return [];
  }
}

const described = (description: string | undefined): JsonSchema => (description === undefined ? {} : { description });

const query = (name: string, schema: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  name,
  in: 'query',
  ...more,
  schema,
});

function limit(standard: number | undefined): JsonSchema {
  const schema = { ...WHOLE, minimum: 1, ...(standard !== undefined && { default: standard }) };
  return query(
    'limit',
    schema,
    described(`How many items to return${standard === undefined ? '; all, unless it is given' : ''}.`),
  );
}

const named = (filters: (Source & { from: 'filters' })['named']): JsonSchema[] =>
  Object.entries(filters).map(([name, { description }]) =>
    query(name, { type: 'array', items: { type: 'string' } }, { ...described(description), explode: true }),
  );

function variableSchema(operation: Operation, variable: string, schema: GraphQLSchema): JsonSchema {
  const definition = operation.definition.variableDefinitions?.find(
    ({ variable: { name } }) => name.value === variable,
  );
  const type = definition && (typeFromAST(schema, definition.type) as GraphQLInputType | undefined);
  return type ? typeSchema(type) : {};
}

/** The request body, made of every source that reads it; undefined where there is none. */
export function requestBodyOf(endpoint: Endpoint, operation: Operation, schema: GraphQLSchema): JsonSchema | undefined {
  const form = formBodyOf(endpoint);
  if (form) return form;
  const types = variableTypes(operation, schema);
  const members: Record<string, JsonSchema> = {};
  const required: string[] = [];
  let whole: JsonSchema | undefined;
  let orForm = false;
  for (const [variable, source] of Object.entries(endpoint.variables)) {
    if (source.from !== 'body') continue;
    const value = variableSchema(operation, variable, schema);
    if (source.member === undefined || source.orWhole) whole = value;
    orForm ||= source.orForm === true;
    if (source.member === undefined) continue;
    if (types.get(variable)?.required) required.push(source.member);
    members[source.member] = {
      ...(source.nullable ? { ...value, type: [value.type, 'null'] } : value),
      ...described(source.description),
    };
  }
  const object = { type: 'object', properties: members, ...(required.length > 0 && { required }) };
  const taken = whole === undefined ? object : Object.keys(members).length === 0 ? whole : { anyOf: [whole, object] };
  if (whole === undefined && Object.keys(members).length === 0) return undefined;
  const forms = orForm ? { 'application/x-www-form-urlencoded': { schema: taken } } : {};
  return { required: true, content: { 'application/json': { schema: taken }, ...forms } };
}
