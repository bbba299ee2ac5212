import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { page, pageArguments, pageSources, pageVariables } from '../declare/list-operation.ts';
import { created, list, one } from '../declare/reply.ts';
import { fromBody, fromIfMatch, fromPath } from '../declare/source.ts';
import { legacy } from './family.ts';
import { bodyAlone, bodyFields, idAndBody } from './views.ts';

const workspace = fromPath('workspace_id');
const job = fromPath('job_id');

/** The differences between the kinds of results. */
interface ResultRows {
  /** The noun in the endpoint ids. */
  readonly noun: string;
  /** The noun in the path, and the parameter that follows it. */
  readonly path: string;
  readonly parameter: string;
  /** The GraphQL names: of the type, of the query for one and of the query for many. */
  readonly type: string;
  readonly one: string;
  readonly many: string;
  /** Singular and plural for summaries. */
  readonly what: string;
  readonly whats: string;
  /** Additional errors of creation. */
  readonly errors?: Endpoint['errors'];
}

const KINDS: readonly ResultRows[] = [
  {
    noun: 'quality',
    path: 'quality',
    parameter: 'quality_id',
    type: 'QualityResult',
    one: 'qualityResult',
    many: 'qualityResults',
    what: 'a quality result',
    whats: 'the quality results',
  },
  {
    noun: 'quantity',
    path: 'quantity',
    parameter: 'quantity_id',
    type: 'QuantityResult',
    one: 'quantityResult',
    many: 'quantityResults',
    what: 'a quantity result',
    whats: 'the quantity results',
    errors: ['DUPLICATE_DIRECTION'],
  },
  {
    noun: 'timelog',
    path: 'timelog',
    parameter: 'event_id',
    type: 'TimeLogEvent',
    one: 'timeLogEvent',
    many: 'timeLogEvents',
    what: 'an event of the time log',
    whats: 'the events of the time log',
  },
  {
    noun: 'loadPortInformation',
    path: 'load-port-information',
    parameter: 'id',
    type: 'LoadPortInformation',
    one: 'loadPortInformation',
    many: 'loadPortInformations',
    what: 'load port information',
    whats: 'the load port information',
  },
];

/** The results of a job: quality, quantity, time log and load port information, all with the same endpoints. */
export const results: readonly Endpoint[] = KINDS.flatMap(rowsOf);

function rowsOf({ noun, path, parameter, type, what, whats, errors = [], ...query }: ResultRows): Endpoint[] {
  const all = `/workspaces/{workspace_id}/jobs/{job_id}/${path}` as const;
  const each = `${all}/{${parameter}}` as const;
  const id = fromPath(parameter);
  const name = `Legacy${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
  const body = `${type}Body`;
  const place = '$workspace: UUID!, $job: UUID!';
  const here = 'workspace: $workspace, job: $job';
  return [
    endpoint(legacy, {
      id: `legacy.${noun}.list`,
      route: `GET ${all}`,
      summary: `Lists ${whats} of a job. Any field of the data model can be used as a filter.`,
      operation: `query ${name}List(${place}, ${pageVariables}) {
        ${query.many}(${here}, ${pageArguments}) { ${page(bodyFields)} }
      }`,
      variables: { workspace, job, ...pageSources() },
      reply: list(idAndBody, body),
      errors: ['FORBIDDEN', 'NOT_FOUND'],
    }),
    endpoint(legacy, {
      id: `legacy.${noun}.create`,
      route: `POST ${all}`,
      summary: `Reports ${what} for a job. Catalog records that it refers to and that do not exist yet are created with it.`,
      operation: `mutation ${name}Create(${place}, $body: ${body}!) {
        create${type}(${here}, body: $body) { ${bodyFields} }
      }`,
      variables: { workspace, job, body: fromBody() },
      reply: created(idAndBody, body),
      errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', ...errors],
    }),
    endpoint(legacy, {
      id: `legacy.${noun}.get`,
      route: `GET ${each}`,
      summary: `Returns the body of ${what}.`,
      operation: `query ${name}Get(${place}, $id: UUID!) { ${query.one}(${here}, id: $id) { ${bodyFields} } }`,
      variables: { workspace, job, id },
      reply: one(bodyAlone, body),
      errors: ['FORBIDDEN', 'NOT_FOUND'],
    }),
    endpoint(legacy, {
      id: `legacy.${noun}.update`,
      route: `PATCH ${each}`,
      summary: `Changes ${what} by a JSON Merge Patch and returns its new body.`,
      operation: `mutation ${name}Update(${place}, $id: UUID!, $patch: ${type}Patch!, $expectedVersion: [String!]) {
        update${type}(${here}, id: $id, patch: $patch, expectedVersion: $expectedVersion) { ${bodyFields} }
      }`,
      variables: { workspace, job, id, patch: fromBody(), expectedVersion: fromIfMatch },
      reply: one(bodyAlone, body),
      errors: ['FORBIDDEN', 'NOT_FOUND', 'PRECONDITION_FAILED', ...errors],
    }),
    endpoint(legacy, {
      id: `legacy.${noun}.delete`,
      route: `DELETE ${each}`,
      summary: `Deletes ${what} permanently and returns its last body.`,
      operation: `mutation ${name}Delete(${place}, $id: UUID!, $expectedVersion: [String!]) {
        delete${type}(${here}, id: $id, expectedVersion: $expectedVersion) { ${bodyFields} }
      }`,
      variables: { workspace, job, id, expectedVersion: fromIfMatch },
      reply: one(bodyAlone, body),
      errors: ['FORBIDDEN', 'NOT_FOUND', 'PRECONDITION_FAILED'],
    }),
  ];
}
