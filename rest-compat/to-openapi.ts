import type { Gateway } from '../src/gateway.ts';
import type { Endpoint } from './endpoint.ts';
import { answersOf, componentHeaders, problemSchema } from './openapi/answers.ts';
import { parametersOf, requestBodyOf } from './openapi/parameters.ts';
import { componentSchemas, type JsonSchema } from './openapi/schemas.ts';

/** An OpenAPI 3.1 document. */
export interface OpenApi {
  readonly openapi: string;
  readonly info: JsonSchema;
  readonly servers: readonly JsonSchema[];
  readonly tags: readonly JsonSchema[];
  readonly security: readonly JsonSchema[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly components: JsonSchema;
}

/** Describes the table in OpenAPI 3.1: types and required flags come from the operations, texts from both. */
export function toOpenApi(
  endpoints: readonly Endpoint[],
  gateway: Pick<Gateway, 'schema' | 'prepare'>,
  { baseUrl, version }: { readonly baseUrl: string; readonly version: string },
): OpenApi {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const tags = new Map<string, JsonSchema>();
  for (const endpoint of endpoints) {
    const tag = tagOf(endpoint);
    tags.set(tag, { name: tag, description: endpoint.family.title });
    const path = paths[endpoint.path] ?? {};
    paths[endpoint.path] = path;
    path[endpoint.method.toLowerCase()] = operationOf(endpoint, gateway);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Cargo inspection data exchange',
      version,
      description: 'Jobs, results and files between the two parties of a workspace. HEAD works where GET does.',
    },
    servers: [{ url: baseUrl }],
    tags: [...tags.values()],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
      headers: componentHeaders,
      schemas: { Problem: problemSchema, ...componentSchemas(gateway.schema) },
    },
  };
}

/** The family and the noun: `v2.workspaces`. */
const tagOf = ({ id }: Endpoint): string => id.slice(0, id.lastIndexOf('.'));

function operationOf(endpoint: Endpoint, gateway: Pick<Gateway, 'schema' | 'prepare'>): JsonSchema {
  const { schema } = gateway;
  const operation = gateway.prepare(endpoint.operation);
  const requestBody = requestBodyOf(endpoint, operation, schema);
  const end = endpoint.summary.indexOf('. ');
  return {
    operationId: endpoint.id,
    tags: [tagOf(endpoint)],
    summary: end === -1 ? endpoint.summary : endpoint.summary.slice(0, end + 1),
    description: `${endpoint.summary} GraphQL: \`${operation.name}\`.`,
    ...(endpoint.open && { security: [] }),
    parameters: parametersOf(endpoint, operation, schema),
    ...(requestBody && { requestBody }),
    responses: answersOf(endpoint, operation, schema),
  };
}
