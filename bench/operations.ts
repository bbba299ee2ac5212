import type { StoredTrade } from '../src/demo/stored-trade.ts';
import type { Trade } from '../src/demo/trade.ts';
import { JOB_TYPE } from '../src/model/document-types/job.ts';

/** What is in the database: as it was posted, and as it is stored. */
export interface BenchData {
  readonly trade: Trade;
  readonly stored: StoredTrade;
}

/** One HTTP request of a partner; all contestants get the same ones. */
export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

/** Something that is measured. */
export interface Operation {
  /** Its name on the command line and in the results. */
  readonly name: string;
  readonly title: string;
  /** The requests that are sent, one after the other, over and over. */
  requests(data: BenchData): readonly BenchRequest[];
  /** How many connections send it, where that is not for the command line to say. */
  readonly connections?: number;
  /** Members of an answer that differ between correct answers, such as new ids. */
  readonly differing: readonly string[];
}

/** How many different requests an operation has: enough that no answer could come from a memory of requests. */
const VARIETY = 1_000;

/** Two workspaces that are only read, so that their lists stay as they are; the third takes what is created. */
const READ_WORKSPACES = [0, 1];
const WRITE_WORKSPACE = 2;

/** How many pages of a list are asked for in turn, and how many jobs a bulk has. */
const PAGES = 40;
const BULK = 1_000;

const NESTED = `query NewestJobs($workspace: UUID!) {
  jobs(workspace: $workspace, first: 25) {
    nodes {
      id refNumber status activity eta etc
      location { name xref }
      transports { name xref }
      cargo { product { name xref } }
    }
  }
}`;

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

/** Everything that is measured: another operation is one more entry, answered by every contestant. */
export const OPERATIONS: readonly Operation[] = [
  {
    name: 'read',
    title: 'read by id (v2 document and legacy job in turn)',
    requests: ({ stored }) =>
      spread(
        stored.documents.filter(({ type }) => type === JOB_TYPE),
        VARIETY,
      ).map(({ _id, workspace }, index) =>
        get(index % 2 === 0 ? `/v2/workspaces/${workspace}/documents/${_id}` : `/workspaces/${workspace}/jobs/${_id}`),
      ),
    differing: [],
  },
  {
    name: 'list',
    title: 'list of the 25 newest (v2)',
    requests: ({ stored }) =>
      READ_WORKSPACES.map((index) => get(`/v2/workspaces/${stored.workspaces[index]?._id}/documents?type=${JOB_TYPE}`)),
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
    requests: ({ trade, stored }) => {
      const path = `/v2/workspaces/${stored.workspaces[WRITE_WORKSPACE]?._id}/documents`;
      const jobs = trade.jobs.filter(({ workspace }) => workspace === WRITE_WORKSPACE);
      return spread(jobs, VARIETY).map(({ type, body }) => post(path, { type, body }));
    },
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
    requests: ({ stored }) =>
      READ_WORKSPACES.map((index) =>
        post('/graphql', { query: NESTED, variables: { workspace: stored.workspaces[index]?._id } }),
      ),
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
];

/** How many connections send an operation. */
export const connectionsOf = (operation: Operation, { connections }: { readonly connections: number }): number =>
  operation.connections ?? connections;

const get = (path: string): BenchRequest => ({ method: 'GET', path });
const post = (path: string, body: unknown): BenchRequest => ({ method: 'POST', path, body: JSON.stringify(body) });

/** At most `count` of the items, evenly spread over all of them. */
function spread<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return items.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}
