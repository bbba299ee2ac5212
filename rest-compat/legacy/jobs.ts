import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { page, pageArguments, pageSources, pageVariables } from '../declare/list-operation.ts';
import { created, list, one } from '../declare/reply.ts';
import { fromBody, fromIfMatch, fromPath } from '../declare/source.ts';
import { legacy } from './family.ts';
import { bodyAlone, bodyFields, idAndBody } from './views.ts';

const workspace = fromPath('workspace_id');
const id = fromPath('job_id');

/** /workspaces/{workspace_id}/jobs: the jobs of a workspace. */
export const jobs: readonly Endpoint[] = [
  endpoint(legacy, {
    id: 'legacy.jobs.list',
    route: 'GET /workspaces/{workspace_id}/jobs',
    summary: 'Lists the jobs of a workspace. Any field of the data model can be used as a filter.',
    operation: `query LegacyJobsList($workspace: UUID!, ${pageVariables}) {
      jobs(workspace: $workspace, ${pageArguments}) { ${page(bodyFields)} }
    }`,
    variables: { workspace, ...pageSources() },
    reply: list(idAndBody, 'JobBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(legacy, {
    id: 'legacy.jobs.create',
    route: 'POST /workspaces/{workspace_id}/jobs',
    summary: 'Creates a job. Catalog records that it refers to and that do not exist yet are created with it.',
    operation: `mutation LegacyJobsCreate($workspace: UUID!, $body: JobBody!) {
      createJob(workspace: $workspace, body: $body) { ${bodyFields} }
    }`,
    variables: { workspace, body: fromBody() },
    reply: created(idAndBody, 'JobBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'QUOTA_EXCEEDED'],
  }),
  endpoint(legacy, {
    id: 'legacy.jobs.get',
    route: 'GET /workspaces/{workspace_id}/jobs/{job_id}',
    summary: 'Returns the body of a job.',
    operation: `query LegacyJobsGet($workspace: UUID!, $id: UUID!) { job(workspace: $workspace, id: $id) { ${bodyFields} } }`,
    variables: { workspace, id },
    reply: one(bodyAlone, 'JobBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(legacy, {
    id: 'legacy.jobs.update',
    route: 'PATCH /workspaces/{workspace_id}/jobs/{job_id}',
    summary: 'Changes a job by a JSON Merge Patch and returns its new body.',
    operation: `mutation LegacyJobsUpdate($workspace: UUID!, $id: UUID!, $patch: JobPatch!, $expectedVersion: [String!]) {
      updateJob(workspace: $workspace, id: $id, patch: $patch, expectedVersion: $expectedVersion) { ${bodyFields} }
    }`,
    variables: { workspace, id, patch: fromBody(), expectedVersion: fromIfMatch },
    reply: one(bodyAlone, 'JobBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  }),
  endpoint(legacy, {
    id: 'legacy.jobs.delete',
    route: 'DELETE /workspaces/{workspace_id}/jobs/{job_id}',
    summary: 'Deletes a job and everything that belongs to it permanently, and returns its last body.',
    operation: `mutation LegacyJobsDelete($workspace: UUID!, $id: UUID!, $expectedVersion: [String!]) {
      deleteJob(workspace: $workspace, id: $id, expectedVersion: $expectedVersion) { ${bodyFields} }
    }`,
    variables: { workspace, id, expectedVersion: fromIfMatch },
    reply: one(bodyAlone, 'JobBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'PRECONDITION_FAILED'],
  }),
];
