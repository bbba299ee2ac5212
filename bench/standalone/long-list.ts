// npm run bench -- --only results: one list of 10,000 results; the time per item must not grow with the list.
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import { QUALITY_RESULT_TYPE } from '../../src/model/document-types/quality-result.ts';
import { OURS, type Running, startContestant } from '../contestants.ts';
import type { Measurement } from '../measurement.ts';
import { spreadOf } from '../tournament/figures.ts';

const KEY = 'demo-client-key';
const SIZES = [100, 1_000, 10_000];

/** Measures microseconds per item of one job's quality results, by REST in one answer and by GraphQL in pages of 1,000. */
export async function benchLongList({ stage, options, log }: Measurement): Promise<void> {
  const gateway = await startContestant(OURS, stage.place);
  try {
    const job = stage.data.stored.documents.find(({ type }) => type === JOB_TYPE);
    const place = { workspace: String(job?.workspace), job: String(job?._id) };
    await fill(gateway, place);
    const list = (size: number) =>
      get(gateway, `/workspaces/${place.workspace}/jobs/${place.job}/quality?limit=${size}`);
    for (const [way, read] of [
      ['REST', list],
      ['GraphQL', (size: number) => pages(gateway, place.job, size)],
    ] as const) {
      await read(SIZES.at(-1) as number);
      for (const size of SIZES) {
        const times: number[] = [];
        for (let round = 0; round < options.rounds; round++) {
          const started = performance.now();
          if ((await read(size)) !== size) throw new Error(`${way}: not ${size} results`);
          times.push(((performance.now() - started) * 1_000) / size);
        }
        log(`${way.padEnd(8)}${String(size).padStart(6)} results: ${spreadOf(times).median.toFixed(1)} µs an item`);
      }
    }
  } finally {
    await gateway.stop();
  }
}

async function fill(gateway: Running, { workspace, job }: { workspace: string; job: string }): Promise<void> {
  const result = (testNumber: number) => ({
    ...{ parent: job, status: 'confirmed', setNumber: 1, testNumber, result: String(testNumber) },
    ...{ sample: { location: 'SHIP' }, test: { name: 'Density' }, method: { name: 'D4052' }, uom: { name: 'kg/m3' } },
  });
  const body = Array.from({ length: SIZES.at(-1) as number }, (_, index) => result(index));
  await ask(gateway, `/v2/workspaces/${workspace}/documents/bulk`, { type: QUALITY_RESULT_TYPE, body });
}

async function get(gateway: Running, path: string): Promise<number> {
  return ((await ask(gateway, path)) as unknown[]).length;
}

async function pages(gateway: Running, job: string, size: number): Promise<number> {
  const query = `query Results($job: UUID!, $first: Int!, $after: String) {
    qualityResults(job: $job, first: $first, after: $after) { nodes { result test { name } } pageInfo { endCursor } }
  }`;
  let count = 0;
  let after: string | null = null;
  while (count < size) {
    const variables = { job, first: Math.min(1_000, size - count), after };
    const { data } = (await ask(gateway, '/graphql', { query, variables })) as {
      data: { qualityResults: { nodes: unknown[]; pageInfo: { endCursor: string } } };
    };
    count += data.qualityResults.nodes.length;
    after = data.qualityResults.pageInfo.endCursor;
  }
  return count;
}

async function ask(gateway: Running, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${gateway.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${KEY}`, ...(body && { 'Content-Type': 'application/json' }) },
    body: body ? JSON.stringify(body) : null,
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
