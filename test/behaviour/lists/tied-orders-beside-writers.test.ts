import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();

interface Job {
  readonly id: string;
  readonly body: { readonly refNumber: string };
}

/** Jobs of their own workspace, whose numbers are rewritten during the work. */
function changedJobs(made: readonly string[], changed: (job: number, turn: number) => string) {
  const workspace = workspaceFixture(service);
  const documents = () => `/v2/workspaces/${workspace.id}/documents`;
  let jobs: Job[] | undefined;
  return {
    workspace,
    list: `&sort=refNumber:desc&type=svc.inspection.job`,
    documents,
    async whileChanged(writers: number, work: () => Promise<void>): Promise<void> {
      const body = { type: 'svc.inspection.job', body: made.map((refNumber) => ({ refNumber })) };
      jobs ??= (await service.ask('POST', `${documents()}/bulk`, { as: 'client', body })).body as Job[];
      const all = jobs;
      let isOver = false;
      let turn = 0;
      const writing = Array.from({ length: writers }, async (_, writer) => {
        for (let at = writer; !isOver; at = (at + writers) % all.length) {
          const refNumber = changed(at, turn++);
          const path = `${documents()}/${all[at]?.id}`;
          await service.ask('PATCH', path, { as: 'vendor', body: { body: { refNumber } } });
        }
      });
      try {
        await work();
      } finally {
        isOver = true;
        await Promise.all(writing);
      }
    },
  };
}

/** The page of a list by descending number, checked for each job once and in its place. */
async function pageOf(path: string): Promise<Job[]> {
  const { status, body } = await service.ask('GET', path, { as: 'client' });
  expect([status, body]).toEqual([200, expect.any(Array)]);
  const jobs = body as Job[];
  const number = ({ body: { refNumber } }: Job) => refNumber;
  const sorted = [...new Map(jobs.map((job) => [job.id, job])).values()].sort((a, b) =>
    number(a) === number(b) ? (a.id < b.id ? -1 : 1) : number(a) > number(b) ? -1 : 1,
  );
  expect(jobs.map((job) => [number(job), job.id])).toEqual(sorted.map((job) => [number(job), job.id]));
  return jobs;
}

describe('a list in the opposite order of its index, under concurrent writes', () => {
  const moving = changedJobs(
    Array.from({ length: 40 }, (_, n) => `R${10 + n}`),
    (job, turn) => `${turn % 3 ? 'Z' : 'A'}${job % 5}${turn % 7}`,
  );
  it('starts at an offset as in a snapshot', async () => {
    await moving.whileChanged(3, async () => {
      for (let round = 0; round < 60; round++) {
        const page = await pageOf(`${moving.documents()}?limit=3&offset=20${moving.list}`);
        expect(page).toHaveLength(3);
      }
    });
  });

  const top = changedJobs(['Z'], (_job, turn) => `Z${turn}`);
  it('has rows wherever it resumes', async () => {
    const query = `query Q($w: UUID!) {
      jobs(workspace: $w, first: 1, order: [{ refNumber: desc }]) { nodes { id } pageInfo { endCursor } }
    }`;
    const others = { type: 'svc.inspection.job', body: Array.from({ length: 9 }, (_, n) => ({ refNumber: `R${n}` })) };
    await service.ask('POST', `${top.documents()}/bulk`, { as: 'client', body: others });
    await top.whileChanged(1, async () => {
      for (let round = 0; round < 60; round++) {
        expect(await pageOf(`${top.documents()}?limit=1${top.list}`)).toHaveLength(1);
        const { jobs } = (await service.graphql(query, { w: top.workspace.id })).body.data;
        expect(jobs).toEqual({ nodes: [{ id: expect.any(String) }], pageInfo: { endCursor: expect.any(String) } });
      }
    });
  });

  const tied = changedJobs(
    Array.from({ length: 140 }, (_, n) => (n % 2 ? 'A' : 'B')),
    (_job, turn) => (turn % 3 ? 'A' : 'B'),
  );
  it.each([30, 120])('has each job once on a page of %i', async (limit) => {
    await tied.whileChanged(3, async () => {
      for (let round = 0; round < 60; round++) {
        expect(await pageOf(`${tied.documents()}?limit=${limit}${tied.list}`)).toHaveLength(limit);
      }
    });
  });
});
