import type { StoredTrade } from '../../src/demo/stored-trade.ts';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import type { BenchData, BenchRequest } from './operation.ts';

/** The number of different requests of an operation: enough that no answer could come from a request cache. */
export const VARIETY = 1_000;

/** Two workspaces that are only read, so that their lists stay as they are. */
export const READ_WORKSPACES: readonly number[] = [0, 1];
/** The third workspace takes the created jobs. */
export const WRITE_WORKSPACE = 2;

/** The newest jobs of a workspace with their records. */
export const NESTED = `query NewestJobs($workspace: UUID!) {
  jobs(workspace: $workspace, first: 25) {
    nodes {
      id refNumber status activity eta etc
      location { name xref }
      transports { name xref }
      cargo { product { name xref } }
    }
  }
}`;

export const get = (path: string): BenchRequest => ({ method: 'GET', path });
export const post = (path: string, body: unknown): BenchRequest => ({
  method: 'POST',
  path,
  body: JSON.stringify(body),
});

/** At most `count` of the items, evenly spread over all of them. */
export function spread<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return items.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

/** Reads of different jobs by id, as v2 documents and legacy jobs in turn. */
export const reads = ({ documents }: StoredTrade): BenchRequest[] =>
  spread(
    documents.filter(({ type }) => type === JOB_TYPE),
    VARIETY,
  ).map(({ _id, workspace }, index) =>
    get(index % 2 === 0 ? `/v2/workspaces/${workspace}/documents/${_id}` : `/workspaces/${workspace}/jobs/${_id}`),
  );

/** The newest page of jobs of each workspace that is only read. */
export const newestPages = ({ workspaces }: StoredTrade): BenchRequest[] =>
  READ_WORKSPACES.map((index) => get(`/v2/workspaces/${workspaces[index]?._id}/documents?type=${JOB_TYPE}`));

/** `NESTED` of each workspace that is only read. */
export const nestedQueries = ({ workspaces }: StoredTrade): BenchRequest[] =>
  READ_WORKSPACES.map((index) => post('/graphql', { query: NESTED, variables: { workspace: workspaces[index]?._id } }));

/** Creations of different jobs whose records exist. */
export function creations({ trade, stored }: BenchData): BenchRequest[] {
  const path = `/v2/workspaces/${stored.workspaces[WRITE_WORKSPACE]?._id}/documents`;
  const jobs = trade.jobs.filter(({ workspace }) => workspace === WRITE_WORKSPACE);
  return spread(jobs, VARIETY).map(({ type, body }) => post(path, { type, body }));
}
