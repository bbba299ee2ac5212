import { describe, expect, it } from 'vitest';
import { shapeA } from '../../rest-compat/data-api/bodies.ts';
import { type Answer, makeWorkspace, serviceFixture, type TestWorkspace } from '../../service.ts';

const service = serviceFixture();

const workspaces = () => service.stores.db.collection<{ _id: string; deleting_at?: Date }>('workspaces');

const CREATE_JOB = 'mutation Make($w: UUID!, $b: JobBody!) { createJob(workspace: $w, body: $b) { id } }';

type Creation = readonly [string, (workspace: TestWorkspace) => Promise<Answer>];

/** Creations that name their workspace. */
const NAMING: readonly Creation[] = [
  ['a job', ({ id }) => service.ask('POST', `/workspaces/${id}/jobs`, { as: 'vendor', body: {} })],
  [
    'a job with new records',
    ({ id }) => service.ask('POST', `/workspaces/${id}/jobs`, { as: 'vendor', body: { location: { name: 'New' } } }),
  ],
  [
    'a bulk',
    ({ id }) =>
      service.ask('POST', `/v2/workspaces/${id}/documents/bulk`, {
        as: 'vendor',
        body: { type: 'svc.inspection.job', body: [{}, {}] },
      }),
  ],
  [
    'a catalog record',
    ({ id }) => service.ask('POST', `/workspaces/${id}/catalogs/products`, { as: 'vendor', body: { name: 'Gas oil' } }),
  ],
  ['a job by GraphQL', ({ id }) => service.graphql(CREATE_JOB, { w: id, b: {} }, 'vendor')],
];

/** A job that the Data API places in the workspace of its parties. */
const createPlaced = (workspace: TestWorkspace, headers = {}) =>
  service.ask('POST', '/bridge/v1/data/jobs', { as: 'client', body: shapeA(workspace), headers });

/** Every way to create something in a workspace. */
const CREATIONS: readonly Creation[] = [...NAMING, ['a job of the Data API', (workspace) => createPlaced(workspace)]];

describe('a creation in a workspace that is being deleted', () => {
  it.concurrent.each(CREATIONS)('waits, and succeeds when the deletion is refused: %s', async (_what, create) => {
    const workspace = await makeWorkspace(service);
    const marked = { $set: { deleting_at: new Date() } };
    await workspaces().updateOne({ _id: workspace.id }, marked);
    const creating = create(workspace);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await workspaces().updateOne({ _id: workspace.id }, { $unset: { deleting_at: '' } });
    const { status, body } = await creating;
    expect([status < 300, body.errors]).toEqual([true, undefined]);
  });

  it.concurrent.each(NAMING)(
    'is refused, and leaves nothing, when the workspace is deleted: %s',
    async (_what, create) => {
      const workspace = await makeWorkspace(service);
      const { id } = workspace;
      await workspaces().updateOne({ _id: id }, { $set: { deleting_at: new Date() } });
      const creating = create(workspace);
      await new Promise((resolve) => setTimeout(resolve, 300));
      await workspaces().deleteOne({ _id: id });
      const { status, body } = await creating;
      expect([body.code ?? body.errors?.[0].extensions.code, status < 500]).toEqual([
        expect.stringMatching(/^(NOT_FOUND|CONFLICT)$/),
        true,
      ]);
      for (const collection of ['documents', 'catalog_records']) {
        expect(await service.stores.db.collection(collection).countDocuments({ workspace: id })).toBe(0);
      }
    },
  );

  it('keeps a job of the Data API without a workspace when that of its parties is deleted', async () => {
    const workspace = await makeWorkspace(service);
    const { id } = workspace;
    await workspaces().updateOne({ _id: id }, { $set: { deleting_at: new Date() } });
    const key = { 'Idempotency-Key': `placed-${id}` };
    const creating = createPlaced(workspace, key);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await workspaces().deleteOne({ _id: id });
    const { status, body, headers } = await creating;
    expect([status, headers.get('x-job-placement'), body.meta]).toEqual([
      201,
      'none; no workspace of these parties',
      {},
    ]);
    expect(await createPlaced(workspace, key)).toMatchObject({ status: 201, body });
    for (const collection of ['documents', 'catalog_records']) {
      expect(await service.stores.db.collection(collection).countDocuments({ workspace: id })).toBe(0);
    }
  });

  it('is never refused while somebody tries to delete a non-empty workspace', async () => {
    const workspace = await makeWorkspace(service);
    const { id } = workspace;
    await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: {} });
    let stopped = false;
    const refusals = new Set<number>();
    const deleting = Promise.all(
      [1, 2].map(async () => {
        while (!stopped) refusals.add((await service.ask('DELETE', `/v2/workspaces/${id}`, { as: 'client' })).status);
      }),
    );
    const answers: Answer[] = [];
    for (let round = 0; round < 10; round++) {
      answers.push(...(await Promise.all(CREATIONS.map(([, create]) => create(workspace)))));
    }
    stopped = true;
    await deleting;
    expect([...refusals]).toEqual([409]);
    expect(answers.filter(({ status, body }) => status >= 300 || body.errors).map(({ text }) => text)).toEqual([]);
  });
});

describe('a change that names a record that is being deleted', () => {
  it.concurrent.each([
    ['jobs', 'location'],
    ['quality', 'method'],
    ['quantity', 'vcftable'],
    ['timelog', 'type'],
    ['load-port-information', 'portOfLoading'],
  ])('is refused with a 409 that OpenAPI describes: %s', async (path, member) => {
    const { id: workspace } = await makeWorkspace(service);
    const jobs = `/workspaces/${workspace}/jobs`;
    const send = (method: string, to: string, body: object) => service.ask(method, to, { as: 'client', body });
    const made = async (to: string, body: object) => String((await send('POST', to, body)).body.id);
    const all = path === 'jobs' ? jobs : `${jobs}/${await made(jobs, {})}/${path}`;
    await send('POST', all, { [member]: { name: 'Going' } });
    const id = await made(all, {});
    const records = service.stores.db.collection<{ _id: string; workspace: string }>('catalog_records');
    const record = await records.findOneAndUpdate({ workspace }, { $set: { deleting_at: new Date() } });
    const patch = { [member]: record?._id };
    const refused = await Promise.all([
      send('PATCH', `${all}/${id}`, patch),
      send('PATCH', `/v2/workspaces/${workspace}/documents/${id}`, { body: patch }),
    ]);
    const conflict = { status: 409, body: { code: 'CONFLICT', detail: expect.stringContaining('is being deleted') } };
    expect(refused).toMatchObject([conflict, conflict]);
  });
});
