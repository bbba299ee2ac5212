import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import { QUALITY_RESULT_TYPE } from '../../src/model/document-types/quality-result.ts';
import { fillPorts } from '../reference/reference-ports.ts';
import type { Operation } from './operation.ts';
import { get, post, READ_WORKSPACES, spread, VARIETY } from './requests.ts';

/** The number of pages requested in turn, and of ports. */
const PAGES = 40;
const PORTS = 5_000;

/** A list through a relation, as a dashboard requests it. */
const AT_LOCATION = `query AtLocation($workspace: UUID!, $location: String!) {
  jobs(workspace: $workspace, first: 25, where: { location: { name: { eq: $location } } }) {
    nodes { id refNumber status eta location { name } }
  }
}`;

/** Figures of all jobs of a workspace. */
const STATISTICS = `query Figures($workspace: UUID!) {
  workspace(id: $workspace) {
    statistics(from: "2020-01-01T00:00:00Z", to: "2030-01-01T00:00:00Z") {
      jobs { status activity jobs }
      offSpecification { total { results judged offSpecification percent } }
    }
  }
}`;

/** Reads through the other families, and of sums. */
export const READS: readonly Operation[] = [
  {
    name: 'legacy-results',
    title: 'quality results of a job (legacy)',
    requests: ({ stored }) => {
      const jobs = new Map(
        stored.results.flatMap(({ type, workspace, parent_id: job }) =>
          type === QUALITY_RESULT_TYPE ? [[job, `/workspaces/${workspace}/jobs/${job}/quality`] as const] : [],
        ),
      );
      return spread([...jobs.values()], VARIETY).map(get);
    },
    rivals: ['handwritten'],
    differing: [],
  },
  {
    name: 'bridge-list',
    title: 'list of 25 with their records, another page each time (Data API)',
    requests: () =>
      Array.from({ length: PAGES }, (_, page) => get(`/bridge/v1/data/jobs?limit=25&offset=${page * 25}`)),
    isOpen: true,
    rivals: ['handwritten'],
    differing: [],
  },
  {
    name: 'where',
    title: 'GraphQL: 25 jobs of a location by its name (where, through a relation)',
    requests: ({ stored }) =>
      READ_WORKSPACES.flatMap((index) => {
        const workspace = stored.workspaces[index]?._id;
        const jobs = stored.documents.filter((one) => one.workspace === workspace && one.type === JOB_TYPE);
        const used = new Set(jobs.map(({ body }) => body.location));
        const locations = stored.catalogRecords.filter(({ _id }) => used.has(_id));
        return locations.map(({ body }) =>
          post('/graphql', { query: AT_LOCATION, variables: { workspace, location: body.name } }),
        );
      }),
    rivals: ['handwritten'],
    differing: [],
  },
  {
    name: 'statistics',
    title: 'GraphQL: statistics of a workspace, by status and activity, and off specification',
    requests: ({ stored }) =>
      READ_WORKSPACES.map((index) =>
        post('/graphql', { query: STATISTICS, variables: { workspace: stored.workspaces[index]?._id } }),
      ),
    rivals: ['handwritten'],
    differing: [],
  },
  {
    name: 'ports',
    title: 'search of ports, another page each time (reference data)',
    requests: async ({ stores }) => {
      await fillPorts(stores, PORTS);
      return Array.from({ length: PAGES }, (_, page) => get(`/api/rest/1.0/ports?page=${page + 1}`));
    },
    isOpen: true,
    rivals: ['handwritten'],
    differing: [],
  },
];
