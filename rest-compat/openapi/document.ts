import { Kind } from 'graphql';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { Gateway, Operation } from '../../src/gateway.ts';
import { SESSION_COOKIE } from '../../src/model/session.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import type { Family } from '../declare/family.ts';
import type { Answers, Parameter, RequestBody } from '../declare/openapi-parts.ts';
import { answersOf, problemSchema } from './answers.ts';
import { referenceSchemas } from './catalog-references.ts';
import { type Components, referredTo } from './components.ts';
import { withAnswers, withRequests } from './examples.ts';
import { filterSchemas } from './filters.ts';
import { componentHeaders } from './headers.ts';
import { withLinks } from './links.ts';
import { type Named, withNames } from './named-schemas.ts';
import { parametersOf, requestBodyOf } from './parameters.ts';
import { problemExamples } from './problem-examples.ts';
import { componentSchemas } from './schemas.ts';
import { describedTag, tagOf, tagOfAll } from './tags.ts';
import { type OpenApiWebhook, openApiWebhooks } from './webhooks.ts';

type Checked = 'info' | 'servers' | 'tags' | 'security';

/** An OpenAPI 3.1 document; its schemas are typed only as objects. */
export interface OpenApi extends Required<Pick<OpenAPIV3_1.Document, Checked>> {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  /** The webhook messages, in the documents that contain the webhook endpoints. */
  readonly webhooks?: Readonly<Record<string, OpenApiWebhook>>;
  readonly components: Components;
}

/** An operation of the document. */
export interface OpenApiOperation
  extends Omit<OpenAPIV3_1.OperationObject, 'parameters' | 'requestBody' | 'responses'> {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Answers;
}

/** The texts and addresses in the documents, apart from the endpoints. */
interface OpenApiOptions {
  readonly baseUrl: string;
  readonly version: string;
  /** The name of the session cookie. */
  readonly cookie?: string;
  readonly title: string;
  /** The introduction of the document, in a few sentences. */
  readonly description: string;
  /** The tag of an endpoint; by default as in the document of its family. */
  readonly tag?: (endpoint: Endpoint) => string;
}

type Described = Pick<Gateway, 'schema' | 'prepare'>;

/** The endpoint that creates webhooks. */
const WEBHOOKS = 'v2.webhooks.create';

const WHOLE = { path: '/openapi.json', title: 'Cargo inspection data exchange' };

/** A document that is generated on request: that takes a while, and few clients ask for it. */
export interface OpenApiSource {
  readonly title: string;
  make(): OpenApi;
}

/** The documents of the service by path: one of all endpoints, and one for each family. */
export function openApiDocuments(
  endpoints: readonly Endpoint[],
  gateway: Described,
  options: Pick<OpenApiOptions, 'baseUrl' | 'version' | 'cookie'>,
): ReadonlyMap<string, OpenApiSource> {
  const link = (title: string, path: string) => `[${title}](${options.baseUrl}${path})`;
  const families = [...new Set(endpoints.map(({ family }) => family))];
  const parts = families.map((family) => link(family.title, pathOf(family))).join(', ');
  const ofFamily = (family: Family): OpenApiSource => {
    const { title, introduction = '' } = family;
    const rows = endpoints.filter((endpoint) => endpoint.family === family);
    const whole = `One family of ${link(WHOLE.title, WHOLE.path)}.`;
    const description = [whole, introduction].join('\n\n').trim();
    return { title, make: () => toOpenApi(rows, gateway, { ...options, title, description }) };
  };
  const description = `Jobs, results and files between the two parties of a workspace. Each API has its own document: ${parts}.`;
  const { title, path } = WHOLE;
  const whole = () => toOpenApi(endpoints, gateway, { ...options, title, description, tag: tagOfAll });
  return new Map([
    [path, { title, make: whole }],
    ...families.map((family) => [pathOf(family), ofFamily(family)] as const),
  ]);
}

const pathOf = ({ name }: Family): string => `/openapi/${name}.json`;

/** The OpenAPI 3.1 document of the endpoints; types and required flags come from the GraphQL operations. */
export function toOpenApi(
  endpoints: readonly Endpoint[],
  gateway: Described,
  { baseUrl, version, cookie = SESSION_COOKIE, title, description, tag: nameOf = tagOf }: OpenApiOptions,
): OpenApi {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  const named: Named = {};
  const tags = new Map<string, OpenAPIV3_1.TagObject>();
  for (const endpoint of endpoints) {
    const tag = nameOf(endpoint);
    tags.set(tag, describedTag(tag, endpoint));
    const path = paths[endpoint.path] ?? {};
    paths[endpoint.path] = path;
    path[endpoint.method.toLowerCase()] = withNames(operationOf({ endpoint, endpoints, tag }, gateway), named);
  }
  const bodies = {
    Problem: problemSchema,
    ...referenceSchemas,
    ...componentSchemas(gateway.schema),
    ...filterSchemas(gateway.schema),
  };
  const schemas = withNames(bodies, named);
  const components = {
    headers: componentHeaders,
    schemas: { ...schemas, ...named },
    examples: problemExamples as Components[string],
  };
  return {
    openapi: '3.1.1',
    info: {
      title,
      version,
      description: `${description}\n\nHEAD is supported wherever GET is.`,
    },
    servers: [{ url: baseUrl }],
    tags: [...tags.values()],
    security: [{ bearer: [] }, { sessionAuth: [] }],
    paths,
    ...(endpoints.some(({ id }) => id === WEBHOOKS) && { webhooks: openApiWebhooks }),
    components: {
      securitySchemes: securitySchemes(cookie),
      ...referredTo(paths, components),
    },
  };
}

const securitySchemes = (cookie: string) =>
  ({
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key, or a JSON Web Token if the service accepts them.',
    },
    sessionAuth: {
      type: 'apiKey',
      in: 'cookie',
      name: cookie,
      description:
        'The session cookie set by signing in. Changes also require the header X-Requested-With (any value) or a JSON body.',
    },
  }) satisfies Record<string, OpenAPIV3_1.SecuritySchemeObject>;

/** An endpoint, with the other endpoints of its document. */
interface Row {
  readonly endpoint: Endpoint;
  readonly endpoints: readonly Endpoint[];
  readonly tag: string;
}

function operationOf({ endpoint, endpoints, tag }: Row, gateway: Described): OpenApiOperation {
  const { schema } = gateway;
  const operation = gateway.prepare(endpoint.operation);
  const requestBody = requestBodyOf(endpoint, operation, schema);
  const end = endpoint.summary.indexOf('. ');
  return {
    operationId: endpoint.id,
    tags: [tag],
    summary: end === -1 ? endpoint.summary : endpoint.summary.slice(0, end + 1),
    description: `${endpoint.summary} GraphQL: ${fieldsOf(operation)}.`,
    ...(endpoint.open && { security: [] }),
    parameters: parametersOf(endpoint, operation, schema),
    ...(requestBody && { requestBody: withRequests(endpoint, requestBody) }),
    responses: withLinks(endpoint, endpoints, withAnswers(endpoint, answersOf(endpoint, operation, schema))),
  };
}

/** The names of the GraphQL fields that do the work, to find them in GraphiQL. */
const fieldsOf = ({ definition }: Operation): string =>
  definition.selectionSet.selections
    .flatMap((selection) => (selection.kind === Kind.FIELD ? `\`${selection.name.value}\`` : []))
    .join(', ');
