import { beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture, workspaceFixture } from '../../service.ts';

const UNKNOWN = '0190a000-0000-7000-8000-000000000000';

const service = serviceFixture();
const workspace = workspaceFixture(service);
let job: string;
let other: string;

beforeAll(async () => {
  [job, other] = (await Promise.all([newJob(), newJob()])) as [string, string];
});

const newJob = async () =>
  (await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: {} })).body.id as string;

const create = async (name: string, body: object, over: object = {}) => {
  const { body: answer } = await service.graphql(
    `mutation Create($w: UUID!, $j: UUID!, $b: ${name}Body!) { create${name}(workspace: $w, job: $j, body: $b) { id parentId body } }`,
    { w: workspace.id, j: job, b: body, ...over },
    'vendor',
  );
  return { made: answer.data?.[`create${name}`], ...answer.errors?.[0].extensions };
};
const update = async (name: string, id: string, patch: object, over: object = {}) => {
  const { body: answer } = await service.graphql(
    `mutation Update($w: UUID, $j: UUID, $i: UUID!, $p: ${name}Patch!) { update${name}(workspace: $w, job: $j, id: $i, patch: $p) { body } }`,
    { w: workspace.id, j: job, i: id, p: patch, ...over },
    'vendor',
  );
  return { made: answer.data?.[`update${name}`], ...answer.errors?.[0].extensions };
};

const NAMES = ['QualityResult', 'QuantityResult', 'TimeLogEvent', 'LoadPortInformation'];

describe.each(NAMES)('%s, created below a job', (name) => {
  it('needs no field, and is put below the job', async () => {
    const { made } = await create(name, { own: 'kept' });
    expect(made).toMatchObject({ parentId: job, body: { workspace: workspace.id, parent: job, own: 'kept' } });
    expect((await create(name, { parent: job.toUpperCase(), workspace: workspace.id })).made.body.parent).toBe(job);
  });

  it('names no other job or workspace than the path', async () => {
    const wrong = await create(name, { parent: other });
    expect([wrong.code, wrong.errors]).toEqual(['INVALID_INPUT', [{ path: '/parent', message: expect.any(String) }]]);
    expect((await create(name, { workspace: UNKNOWN })).errors[0].path).toBe('/workspace');
  });

  it('belongs to an existing job', async () => {
    const { made } = await create(name, {});
    for (const j of [UNKNOWN, made.id]) expect((await create(name, {}, { j })).code).toBe('NOT_FOUND');
    const elsewhere = await makeWorkspace(service);
    expect((await create(name, {}, { w: elsewhere.id })).code).toBe('NOT_FOUND');
  });

  it('is found under its own job and workspace only', async () => {
    const { id } = (await create(name, {})).made;
    const one = name.charAt(0).toLowerCase() + name.slice(1);
    const find = async (over: object) => {
      const { body } = await service.graphql(
        `query One($w: UUID, $j: UUID, $i: UUID!) { ${one}(workspace: $w, job: $j, id: $i) { id job { id } } }`,
        { i: id, ...over },
      );
      return body.errors?.[0].extensions.code ?? body.data[one].job.id;
    };
    expect(await find({})).toBe(job);
    expect(await find({ w: workspace.id, j: job })).toBe(job);
    expect([await find({ j: other }), await find({ w: UNKNOWN }), await find({ i: job })]).toEqual(
      Array(3).fill('NOT_FOUND'),
    );
    expect((await update(name, id, { own: 1 }, { j: other })).code).toBe('NOT_FOUND');
  });

  it('is listed by job, and the list of an unknown job is not found', async () => {
    const parent = await newJob();
    const made = (await create(name, {}, { j: parent })).made.id;
    const many = `${name.charAt(0).toLowerCase()}${name.slice(1)}s`;
    const list = async (j: string, as: 'client' | 'stranger' = 'client') => {
      const { body } = await service.graphql(
        `query Many($j: UUID!) { ${many}(job: $j) { nodes { id } totalCount } }`,
        { j },
        as,
      );
      return body.errors?.[0].extensions.code ?? body.data[many];
    };
    expect(await list(parent)).toEqual({ nodes: [{ id: made }], totalCount: 1 });
    expect(await list(await newJob())).toEqual({ nodes: [], totalCount: 0 });
    expect([await list(UNKNOWN), await list(made), await list(parent, 'stranger')]).toEqual([
      'NOT_FOUND',
      'NOT_FOUND',
      'FORBIDDEN',
    ]);
  });

  it('stays below its job, and is deleted with all its versions', async () => {
    const { id } = (await create(name, { own: 1 })).made;
    expect((await update(name, id, { parent: other })).errors[0].path).toBe('/parent');
    expect((await update(name, id, { parent: null, own: 2 })).made.body).toMatchObject({ parent: job, own: 2 });
    const { body } = await service.graphql(
      `mutation D($i: UUID!) { delete${name}(id: $i) { id versions { number } } }`,
      { i: id },
    );
    expect(body.data[`delete${name}`].id).toBe(id);
    expect(
      await service.stores.db.collection('versions').countDocuments({ entity: id, expires_at: { $exists: false } }),
    ).toBe(0);
  });
});

describe('a quality result, created below a job', () => {
  it('may lose a field that only the document form requires', async () => {
    const { id } = (await create('QualityResult', { result: '1', status: 'confirmed' })).made;
    const { made } = await update('QualityResult', id, { result: null });
    expect('result' in made.body).toBe(false);
    const v2 = await service.ask('PATCH', `/v2/workspaces/${workspace.id}/documents/${id}`, {
      as: 'vendor',
      body: { body: { status: null } },
    });
    expect([v2.status, v2.body.errors[0].path]).toEqual([400, '/body/status']);
  });

  it('is otherwise checked as in the document form', async () => {
    const answer = await create('QualityResult', { status: 'final', setNumber: 'x', method: {} });
    expect(answer.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
      '/method',
      '/setNumber',
      '/status',
    ]);
  });
});
