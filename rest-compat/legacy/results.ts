import { loadPortInformation } from '../../src/model/document-types/load-port-information.ts';
import { qualityResult } from '../../src/model/document-types/quality-result.ts';
import { quantityResult } from '../../src/model/document-types/quantity-result.ts';
import { timelog } from '../../src/model/document-types/timelog.ts';
import type { RESULT_TYPES } from '../../src/model/document-types.ts';
import { resultNames } from '../../src/model/entity/graphql-names.ts';
import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { page, pageArguments, pageSources, pageVariables } from '../declare/list-operation.ts';
import { created, list, one } from '../declare/reply.ts';
import { fromBody, fromIfMatch, fromPath, fromPathOfA } from '../declare/source.ts';
import { legacy } from './family.ts';
import { bodyAlone, bodyFields, idAndBody } from './views.ts';

const workspace = fromPath('workspace_id');
const job = fromPath('job_id');

/** The names of a kind of result in the legacy Workspace API. */
interface Kind {
  readonly type: (typeof RESULT_TYPES)[number];
  /** The name in its path, and the parameter that follows it. */
  readonly path: string;
  readonly parameter: string;
  /** Additional errors of writes. */
  readonly errors?: Endpoint['errors'];
}

const KINDS: readonly Kind[] = [
  { type: qualityResult, path: 'quality', parameter: 'quality_id' },
  { type: quantityResult, path: 'quantity', parameter: 'quantity_id', errors: ['DUPLICATE_DIRECTION'] },
  { type: timelog, path: 'timelog', parameter: 'event_id' },
  { type: loadPortInformation, path: 'load-port-information', parameter: 'id' },
];

/** The results of a job: quality, quantity, time log and load port information, all with the same endpoints. */
export const results: readonly Endpoint[] = KINDS.flatMap(rowsOf);

function rowsOf({ type: { noun, phrases }, path, parameter, errors = [] }: Kind): Endpoint[] {
  const { type, one: oneQuery, many } = resultNames(noun);
  const all = `/workspaces/{workspace_id}/jobs/{job_id}/${path}` as const;
  const each = `${all}/{${parameter}}` as const;
  const id = fromPathOfA(noun, parameter);
  const ids = path.replace(/-(\w)/g, (_match, letter: string) => letter.toUpperCase());
  const name = `Legacy${ids.charAt(0).toUpperCase()}${ids.slice(1)}`;
  const body = `${type}Body`;
  const place = '$workspace: UUID!, $job: UUID!';
  const here = 'workspace: $workspace, job: $job';
  return [
    endpoint(legacy, {
      id: `legacy.${ids}.list`,
      route: `GET ${all}`,
      summary: `Lists ${phrases.all} of a job. Any field of the data model can be used as a filter.`,
      operation: `query ${name}List(${place}, ${pageVariables}) {
        ${many}(${here}, ${pageArguments}) { ${page(bodyFields)} }
      }`,
      variables: { workspace, job, ...pageSources() },
      reply: list(idAndBody, body),
      errors: ['FORBIDDEN', 'NOT_FOUND'],
    }),
    endpoint(legacy, {
      id: `legacy.${ids}.create`,
      route: `POST ${all}`,
      summary: `Reports ${phrases.one} for a job. Catalog records that it refers to and that do not exist yet are created with it.`,
      operation: `mutation ${name}Create(${place}, $body: ${body}!) {
        create${type}(${here}, body: $body) { ${bodyFields} }
      }`,
      variables: { workspace, job, body: fromBody() },
      reply: created(idAndBody, body),
      errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', ...errors, 'QUOTA_EXCEEDED'],
    }),
    endpoint(legacy, {
      id: `legacy.${ids}.get`,
      route: `GET ${each}`,
      summary: `Returns the body of ${phrases.one}.`,
      operation: `query ${name}Get(${place}, $id: UUID!) { ${oneQuery}(${here}, id: $id) { ${bodyFields} } }`,
      variables: { workspace, job, id },
      reply: one(bodyAlone, body),
      errors: ['FORBIDDEN', 'NOT_FOUND'],
    }),
    endpoint(legacy, {
      id: `legacy.${ids}.update`,
      route: `PATCH ${each}`,
      summary: `Changes ${phrases.one} by a JSON Merge Patch and returns its new body.`,
      operation: `mutation ${name}Update(${place}, $id: UUID!, $patch: ${type}Patch!, $expectedVersion: [String!]) {
        update${type}(${here}, id: $id, patch: $patch, expectedVersion: $expectedVersion) { ${bodyFields} }
      }`,
      variables: { workspace, job, id, patch: fromBody(), expectedVersion: fromIfMatch },
      reply: one(bodyAlone, body),
      errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', ...errors, 'PRECONDITION_FAILED'],
    }),
    endpoint(legacy, {
      id: `legacy.${ids}.delete`,
      route: `DELETE ${each}`,
      summary: `Deletes ${phrases.one} permanently and returns its last body.`,
      operation: `mutation ${name}Delete(${place}, $id: UUID!, $expectedVersion: [String!]) {
        delete${type}(${here}, id: $id, expectedVersion: $expectedVersion) { ${bodyFields} }
      }`,
      variables: { workspace, job, id, expectedVersion: fromIfMatch },
      reply: one(bodyAlone, body),
      errors: ['FORBIDDEN', 'NOT_FOUND', 'PRECONDITION_FAILED'],
    }),
  ];
}
