import { beforeAll, describe, expect, it } from 'vitest';
import { commandsDuring } from '../../profile.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const JOBS = 60;

beforeAll(async () => {
  const body = Array.from({ length: JOBS }, (_, at) => ({ refNumber: `E${at}` }));
  const bulk = { type: 'svc.inspection.job', body };
  await service.ask('POST', `/v2/workspaces/${workspace.id}/documents/bulk`, { as: 'client', body: bulk });
});

/** The list again for each of its rows, in the same order. */
const lists = (page: string, asked: string): string =>
  `query($w:UUID!){workspace(id:$w){jobs(${page}){nodes{workspace{jobs(${page}){${asked}}}}}}}`;

interface Answer {
  readonly data: { readonly workspace: { readonly jobs: { readonly nodes: readonly object[] } } };
}

/** The response to an operation, and how many document reads it took. */
async function answered(query: string): Promise<{ readonly answer: Answer; readonly reads: number }> {
  const body = { query, variables: { w: workspace.id } };
  const answers: Answer[] = [];
  const commands = await commandsDuring(service, async () => {
    answers.push((await service.ask('POST', '/graphql', { as: 'client', body })).body);
  });
  const reads = commands.filter(({ ns }) => String(ns).endsWith('.documents')).length;
  return { answer: answers[0] as Answer, reads };
}

// Ten reads that may take long run at a time; those that wait for them would be made once for every ten.
describe('one list requested many times by one operation', () => {
  it.each([
    ['from its end', 'last:150', 'nodes{refNumber}'],
    ['its newest rows', 'first:50', 'nodes{refNumber}'],
    ['in pages that REST would stream', 'first:150', 'nodes{refNumber}'],
    ['in an order of its own', 'first:150,order:{eta:asc}', 'nodes{refNumber}'],
    ['from a place on', 'first:50,offset:5', 'nodes{refNumber}'],
    ['its total', 'first:50,where:{refNumber:{contains:"e"}}', 'totalCount'],
  ])('is read only a few times: %s', async (_, page, asked) => {
    const { answer, reads } = await answered(lists(page, asked));
    expect(answer).not.toHaveProperty('errors');
    const { nodes } = answer.data.workspace.jobs;
    expect(nodes.length).toBeGreaterThan(40);
    expect(new Set(nodes.map((node) => JSON.stringify(node))).size).toBe(1);
    expect(reads).toBeLessThan(8);
  });
});
