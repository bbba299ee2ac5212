import { JOB_TYPE } from '../src/model/document-types/job.ts';
import { CLIENTS } from './rows/clients.ts';
import { FILES } from './rows/files.ts';
import type { Operation } from './rows/operation.ts';
import { READS } from './rows/reads.ts';
import {
  creations,
  get,
  nestedQueries,
  newestPages,
  post,
  READ_WORKSPACES,
  reads,
  WRITE_WORKSPACE,
} from './rows/requests.ts';
import { UNSEEN } from './rows/unseen.ts';
import { WRITES } from './rows/writes.ts';

/** The number of pages of a list to request in turn, and of jobs in a bulk. */
const PAGES = 40;
const BULK = 1_000;

const SUMMARIES = `query NewestComplete($workspace: UUID!) {
  jobs(workspace: $workspace, first: 25, filter: [{ field: "status", anyOf: ["complete"] }]) {
    nodes {
      id refNumber
      qualityResults { result isOffSpec test { name synonyms { name } } uom { name } }
      quantityResults { direction measurements { code value uom { name } } }
      timeLog { category start end eventType { name } }
      loadPortInformation { portOfLoading { name } }
      completeness { isComplete missing }
      quantityReconciliation { transfer { code difference percent isWithinTolerance } outturn { code percent } }
      timeSummary { timeAtPort delay gaps { hours } }
      qualitySummary { isOnSpecification pendingRetests latest { verdict earlier } }
    }
  }
}`;

/** All measured operations; to add one, add an entry that every contestant answers. */
export const OPERATIONS: readonly Operation[] = [
  {
    name: 'read',
    title: 'read by id (v2 document and legacy job in turn)',
    requests: ({ stored }) => reads(stored),
    differing: [],
  },
  {
    name: 'list',
    title: 'list of the 25 newest (v2)',
    requests: ({ stored }) => newestPages(stored),
    differing: [],
  },
  {
    name: 'pages',
    title: 'list of 25, another page each time (v2)',
    requests: ({ stored }) =>
      Array.from({ length: PAGES }, (_, page) =>
        READ_WORKSPACES.map((index) =>
          get(`/v2/workspaces/${stored.workspaces[index]?._id}/documents?type=${JOB_TYPE}&offset=${page * 25}`),
        ),
      ).flat(),
    differing: [],
  },
  {
    name: 'create',
    title: 'create a job whose records exist (v2)',
    requests: (turn) => creations(turn),
    differing: ['id', 'version_id', 'created_at', 'modified_at'],
  },
  {
    name: 'bulk',
    title: 'bulk of 1,000 jobs in one call (v2), one connection',
    requests: ({ trade, stored }) => {
      const path = `/v2/workspaces/${stored.workspaces[WRITE_WORKSPACE]?._id}/documents/bulk`;
      const jobs = trade.jobs.filter(({ workspace }) => workspace === WRITE_WORKSPACE);
      const body = Array.from({ length: BULK }, (_, index) => jobs[index % jobs.length]?.body);
      return [post(path, { type: JOB_TYPE, body })];
    },
    connections: 1,
    differing: ['id', 'version_id', 'created_at', 'modified_at'],
  },
  {
    name: 'nested',
    title: 'GraphQL: 25 jobs, five fields and three records each',
    requests: ({ stored }) => nestedQueries(stored),
    differing: [],
  },
  {
    name: 'summaries',
    title: 'GraphQL: 25 jobs with all results, records, synonyms and what is computed from them',
    requests: ({ stored }) =>
      READ_WORKSPACES.map((index) =>
        post('/graphql', { query: SUMMARIES, variables: { workspace: stored.workspaces[index]?._id } }),
      ),
    differing: [],
  },
  ...CLIENTS,
  ...READS,
  ...UNSEEN,
  ...WRITES,
  ...FILES,
];
