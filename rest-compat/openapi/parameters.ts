import { type GraphQLInputType, type GraphQLSchema, typeFromAST } from 'graphql';
import type { Operation } from '../../src/gateway.ts';
import { type Endpoint, takesKey } from '../declare/endpoint.ts';
import type { JsonSchema } from '../declare/json-schema.ts';
import type { Parameter, RequestBody } from '../declare/openapi-parts.ts';
import type { Source } from '../declare/source.ts';
import { typeReader } from '../replies/compile-reply.ts';
import { requestHeader } from '../replies/reply-kind.ts';
import { kindOf as kindOfReply } from '../replies/reply-kinds.ts';
import { variableTypes } from '../sources/compile-sources.ts';
import type { BodyPart, DescriptionContext } from '../sources/source-kind.ts';
import { kindOf } from '../sources/source-kinds.ts';
import { filtersIn, filtersOf } from './filters.ts';
import { ownSchema, typeSchema } from './schemas.ts';

const IDEMPOTENCY_KEY: Parameter = {
  ...requestHeader(
    'Idempotency-Key',
    'Up to 128 characters. A request repeated with the same key is executed once, and gets the same response for 24 hours.',
  ),
  schema: { type: 'string', minLength: 1, maxLength: 128 },
};

const acceptVersion = (version: string): Parameter => ({
  ...requestHeader('Accept-Version', 'The requested version of the API.'),
  schema: { type: 'string', enum: [version] },
});

/** The parameters of an endpoint, derived from its sources and reply. */
export function parametersOf(endpoint: Endpoint, operation: Operation, schema: GraphQLSchema): Parameter[] {
  const { family, open, method, reply } = endpoint;
  const parameters = sourcesOf(endpoint, operation, schema).flatMap(
    ([source, context]) => kindOf(source).parameters?.(source, context) ?? [],
  );
  if (family.version !== undefined && !open) parameters.push(acceptVersion(family.version));
  parameters.push(...(kindOfReply(reply).requestHeaders?.({ method, typeOf: typeReader(operation, schema) }) ?? []));
  if (takesKey(endpoint)) parameters.push(IDEMPOTENCY_KEY);
  return parameters;
}

/** The request body, combined from all sources that read it; undefined if there is none. */
export function requestBodyOf(
  endpoint: Endpoint,
  operation: Operation,
  schema: GraphQLSchema,
): RequestBody | undefined {
  const parts = sourcesOf(endpoint, operation, schema).flatMap(
    ([source, context]) => kindOf(source).bodyPart?.(source, context) ?? [],
  );
  if (parts.length === 0) return undefined;
  const taken = bodySchema(parts);
  const mediaTypes = new Set(parts.flatMap((part) => part.mediaTypes));
  return { required: true, content: Object.fromEntries([...mediaTypes].map((type) => [type, { schema: taken }])) };
}

function bodySchema(parts: readonly BodyPart[]): JsonSchema {
  const first = parts.find((part) => part.whole !== undefined);
  const beside: Record<string, JsonSchema> = Object.assign({}, ...parts.map((part) => part !== first && part.members));
  const members = { ...first?.members, ...beside };
  const whole = first?.whole?.properties ? withMembers(first.whole, beside) : first?.whole;
  const required = parts.flatMap((part) => part.required ?? []);
  if (whole && Object.keys(members).length === 0) return whole;
  const named = parts.find((part) => part.propertyNames);
  const object = {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: members,
    ...(named && { propertyNames: named.propertyNames }),
  };
  return whole ? { anyOf: [whole, object] } : object;
}

/** The schema of a body, extended by these optional members. */
const withMembers = (schema: JsonSchema, members: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  ...schema,
  properties: { ...(schema.properties as Record<string, JsonSchema>), ...members },
});

/** The sources of an endpoint, each with the data needed to document it. */
function sourcesOf(
  { variables, family, reply }: Endpoint,
  operation: Operation,
  schema: GraphQLSchema,
): (readonly [Source, DescriptionContext])[] {
  const types = variableTypes(operation, schema);
  const body = 'body' in reply ? reply.body : undefined;
  const filters: DescriptionContext['filters'] = (as) => (as ? filtersOf(body) : filtersIn(schema, body));
  return Object.entries(variables).map(([variable, source]) => {
    const required = types.get(variable)?.required === true;
    const type = variableType(operation, variable, schema);
    const own = () => (type ? ownSchema(type) : {});
    return [source, { required, schema: type ? typeSchema(type) : {}, ownSchema: own, family, filters }];
  });
}

function variableType(operation: Operation, variable: string, schema: GraphQLSchema): GraphQLInputType | undefined {
  const definition = operation.definition.variableDefinitions?.find(
    ({ variable: { name } }) => name.value === variable,
  );
  return definition && (typeFromAST(schema, definition.type) as GraphQLInputType | undefined);
}
