import { v7 as newId } from 'uuid';
import { beforeAll, expect, it } from 'vitest';
import { QUALITY_RESULT_TYPE } from '../../../src/model/document-types/quality-result.ts';
import { commandsDuring } from '../../profile.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';

/** The number of results per job: the first four and part of the fifth are read together, the last is not. */
const RESULTS = [0, 1, 700, 3, 700, 2];
const NEWEST_FIRST = [
  { stored: 'created_at', descending: true },
  { stored: '_id', descending: false },
];

const service = serviceFixture();
const workspace = workspaceFixture(service);
/** The results of each job, newest first. */
const resultsOf = new Map<string, string[]>();
let jobs: string[];
let tenant: string;

beforeAll(async () => {
  const path = `/workspaces/${workspace.id}/jobs`;
  const post = async (to: string): Promise<string> => {
    const { status, body } = await service.ask('POST', to, { as: 'client', body: {} });
    expect(status).toBe(201);
    return body.id;
  };
  jobs = [];
  for (const _ of RESULTS) jobs.push(await post(path));
  const documents = service.stores.db.collection<{ _id: string; readers: string[] }>('documents');
  const first = { _id: await post(`${path}/${jobs[1]}/quality`) };
  const model = await documents.findOne(first);
  tenant = model?.readers[0] ?? '';
  await documents.deleteOne(first);
  for (const [index, job] of jobs.entries()) {
    const made = Array.from({ length: RESULTS[index] ?? 0 }, (_, i) => ({
      ...{ ...model, _id: newId(), version_id: newId(), readers: model?.readers ?? [], parent_id: job },
      created_at: new Date(1.7e12 + (i % 50)),
    }));
    if (made.length > 0) await documents.insertMany(made);
    const newest = made.toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime() || (a._id < b._id ? -1 : 1));
    resultsOf.set(
      job,
      newest.map(({ _id }) => _id),
    );
  }
});

async function firstPage(job: string, limit: number, readers: string) {
  const scope = { workspace: workspace.id, readers, type: QUALITY_RESULT_TYPE, parent_id: job };
  const query = { reader: readers, scope, conditions: [], order: NEWEST_FIRST };
  const { nodes, hasMore } = await service.stores.documents.page(query, { offset: 0, limit });
  return { ids: nodes.map(({ id }) => id), hasMore };
}

const expected = (limit: number, job: string) => {
  const all = resultsOf.get(job) ?? [];
  return { ids: all.slice(0, limit), hasMore: all.length > limit };
};

it.each([
  ['that fit one read are one read', 100, [0, 1, 2, 3], 1],
  ['are one read where more than a page of the last one was read', 100, [0, 1, 2, 3, 4], 1],
  ['are read by themselves beyond the end of a joined read', 100, [0, 1, 2, 3, 4, 5], 2],
  ['are read by themselves where less than a page of them was read', 500, [0, 1, 2, 3, 4], 2],
  ['of one job alone are one read, whoever asks', 25, [2, 2, 2], 1],
])('first results requested at the same time %s', async (_, limit, indexes, finds) => {
  const asked = indexes.map((index) => jobs[index] ?? '');
  const commands = await commandsDuring(service, async () => {
    const pages = await Promise.all(asked.map((job) => firstPage(job, limit, tenant)));
    expect(pages).toEqual(asked.map((job) => expected(limit, job)));
  });
  const reads = commands.filter(({ command }) => command.find === 'documents' && command.filter.readers === tenant);
  expect(reads).toHaveLength(finds);
});

it('callers without access get nothing, and each page has the limit requested', async () => {
  const some = jobs.slice(0, 4);
  const [seen, few, unseen] = await Promise.all([
    Promise.all(some.map((job) => firstPage(job, 100, tenant))),
    Promise.all(some.map((job) => firstPage(job, 2, tenant))),
    Promise.all(some.map((job) => firstPage(job, 100, 'nobody'))),
  ]);
  expect(seen).toEqual(some.map((job) => expected(100, job)));
  expect(few).toEqual(some.map((job) => expected(2, job)));
  expect(unseen).toEqual(some.map(() => ({ ids: [], hasMore: false })));
});

it('results of several jobs requested at once match those requested alone, on all pages', async () => {
  const list = async (job: string, as: 'client' | 'stranger') => {
    const { status, body } = await service.ask('GET', `/workspaces/${workspace.id}/jobs/${job}/quality`, { as });
    return status === 200 ? body.map(({ id }: { id: string }) => id) : status;
  };
  const answers = await Promise.all(jobs.flatMap((job) => [list(job, 'client'), list(job, 'stranger')]));
  expect(answers).toEqual(jobs.flatMap((job) => [resultsOf.get(job), 403]));
});
