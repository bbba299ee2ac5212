import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { page, pageArguments, pageSources, pageVariables } from '../declare/list-operation.ts';
import { createdWithoutLocation, list } from '../declare/reply.ts';
import { fromBody } from '../declare/source.ts';
import { selectionOf, type ViewObject } from '../declare/view.ts';
import { envelope } from '../v2/views.ts';
import { dataApi } from './family.ts';

/** A job as created and submitted: its body in the shape it was created in. */
const job: ViewObject = { ...envelope, body: 'dataApiBody' };

/** A job in lists, where the type has a different name in the demo environment (interface, "Entity type names"). */
const listedJob: ViewObject = { ...job, type: 'dataApiListType' };

/** Says why a new job is stored without a workspace (contract §7). */
const PLACEMENT = { 'X-Job-Placement': 'dataApiPlacement' } as const;

/** /bridge/v1/data/jobs: the jobs of all the caller's workspaces, and those without a workspace. */
export const jobs: readonly Endpoint[] = [
  endpoint(dataApi, {
    id: 'bridge.jobs.list',
    route: 'GET /data/jobs',
    summary: 'Lists every job that is visible to the caller, each in the shape it was created in.',
    operation: `query BridgeJobsList(${pageVariables}) {
      jobs(${pageArguments}) { ${page(selectionOf(listedJob))} }
    }`,
    variables: pageSources(),
    reply: list(listedJob, 'DataApiJobBody'),
    errors: ['UNSUPPORTED_VERSION'],
  }),
  endpoint(dataApi, {
    id: 'bridge.jobs.create',
    route: 'POST /data/jobs',
    summary:
      'Creates a job in Shape A or Shape B, in the workspace of its client and vendor that your tenant opened or accepted.',
    operation: `mutation BridgeJobsCreate($body: DataApiJobBody!) {
      createDataApiJob(body: $body) { ${selectionOf(job)} dataApiPlacement }
    }`,
    variables: { body: fromBody() },
    reply: createdWithoutLocation(job, 'DataApiJobBody', PLACEMENT),
    errors: ['UNSUPPORTED_VERSION', 'CONFLICT', 'QUOTA_EXCEEDED'],
  }),
  endpoint(dataApi, {
    id: 'bridge.jobs.submit',
    route: 'PUT /data/jobs',
    summary: 'Submits an inspection job in the submit form of Shape A. Each request creates a new job.',
    operation: `mutation BridgeJobsSubmit($body: DataApiJobSubmission!) {
      submitDataApiJob(body: $body) { ${selectionOf(job)} dataApiPlacement }
    }`,
    variables: { body: fromBody() },
    reply: createdWithoutLocation(job, 'DataApiJobBody', PLACEMENT),
    errors: ['UNSUPPORTED_VERSION', 'CONFLICT', 'QUOTA_EXCEEDED'],
  }),
];
