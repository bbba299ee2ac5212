import type { BenchRequest } from './operation.ts';

/** How many different requests an operation has: enough that no answer could come from a memory of requests. */
export const VARIETY = 1_000;

/** Two workspaces that are only read, so that their lists stay as they are. */
export const READ_WORKSPACES: readonly number[] = [0, 1];
/** The third one takes what is created. */
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
