import { describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const TYPE = 'svc.inspection.specification';
const sulphur = {
  test: { name: 'Sulphur' },
  method: { name: 'D4294' },
  uom: { name: 'mg/kg' },
  maximum: 10,
  reproducibility: 1,
};
const density = { test: { name: 'Density' }, uom: { name: 'kg/m3' }, minimum: 820, maximum: 845 };
const diesel = { name: 'EN 590', product: { name: 'Diesel' }, tests: [sulphur, density] };

const post = (type: string, body: object, as: 'client' | 'vendor' | 'stranger' = 'client') =>
  service.ask('POST', `/v2/workspaces/${workspace.id}/documents`, { as, body: { type, body } });
const specificationOf = async (body: object = diesel) => (await post(TYPE, body)).body.id as string;
const jobWith = async (specification: string, more: object = {}) =>
  (await post('svc.inspection.job', { specification, ...more })).body.id as string;
const report = async (job: string, result: string, more: object = {}) => {
  const { test, method, uom } = sulphur;
  const body = { ...{ parent: job, status: 'confirmed', setNumber: 1 }, sample: { location: 'TK1' } };
  const made = await post('svc.inspection.qualityResult', { ...body, test, method, uom, result, ...more }, 'vendor');
  expect(made.status, made.text).toBe(201);
  return made.body.id as string;
};
const ask = async (query: string, variables: object) => {
  const { body } = await service.graphql(query, variables);
  expect(body.errors).toBeUndefined();
  return body.data;
};

describe('a specification', () => {
  it('is created by v2, listed and read by v2 and GraphQL, and referenced by jobs', async () => {
    const made = await post(TYPE, diesel);
    expect(made.status, made.text).toBe(201);
    expect(made.body).toMatchObject({ type: TYPE, parent_id: null, body: { name: 'EN 590' } });
    const { id } = made.body;
    const job = await jobWith(id.toUpperCase());
    const data = await ask(
      `query S($id: UUID!, $job: UUID!, $workspace: UUID!) {
        specification(id: $id) { id name product { name } workspace { id }
          tests { test { name } method { name } uom { name } minimum maximum reproducibility } }
        specifications(workspace: $workspace, first: 10) { totalCount nodes { id } }
        job(id: $job) { specification { name } }
        jobs(where: { specification: { name: { eq: "EN 590" } } }) { nodes { id } }
        document(id: $id) { __typename } }`,
      { id, job: await jobWith(id), workspace: workspace.id },
    );
    expect(data.specification).toMatchObject({
      ...{ id, name: 'EN 590', product: { name: 'Diesel' }, workspace: { id: workspace.id } },
      tests: [
        { test: { name: 'Sulphur' }, method: { name: 'D4294' }, uom: { name: 'mg/kg' }, maximum: 10, minimum: null },
        { test: { name: 'Density' }, method: null, minimum: 820, maximum: 845, reproducibility: null },
      ],
    });
    expect([data.specifications.nodes[0].id, data.document.__typename]).toEqual([id, 'Specification']);
    expect([data.job.specification, data.jobs.nodes.length]).toEqual([{ name: 'EN 590' }, 2]);
    const upper = await ask('query J($job: UUID!) { job(id: $job) { specification { id } } }', { job });
    expect(upper.job.specification.id).toBe(id);
    const listed = await service.ask('GET', `/v2/workspaces/${workspace.id}/documents?type=${TYPE}`, { as: 'vendor' });
    expect(listed.body.map((one: { id: string }) => one.id)).toContain(id);
    const strange = await service.graphql('query S($id: UUID!) { specification(id: $id) { id } }', { id }, 'stranger');
    expect(strange.body.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  it.each([
    ['without a product', { tests: [sulphur] }, ['/body/product']],
    ['without tests', { product: { name: 'Diesel' } }, ['/body/tests']],
    ['with a test that names none', { ...diesel, tests: [sulphur, { maximum: 1 }] }, ['/body/tests/1/test']],
    ['with a test that is null', { ...diesel, tests: [{ test: null }] }, ['/body/tests/0/test']],
    ['with null for a test', { ...diesel, tests: [null] }, ['/body/tests/0']],
    [
      'with a negative reproducibility',
      { ...diesel, tests: [{ ...sulphur, reproducibility: -0.1 }] },
      ['/body/tests/0/reproducibility'],
    ],
    [
      'with a minimum above the maximum',
      { ...diesel, tests: [sulphur, { ...density, minimum: 846 }] },
      ['/body/tests/1/minimum'],
    ],
    ['with a limit that is text', { ...diesel, tests: [{ ...sulphur, maximum: '10' }] }, ['/body/tests/0/maximum']],
  ])('%s is refused, naming the path', async (_what, body, places) => {
    const { status, body: problem } = await post(TYPE, body);
    expect([status, problem.errors?.map(({ path }: { path: string }) => path)]).toEqual([400, places]);
  });

  it('has no parent', async () => {
    const parent = await jobWith(await specificationOf());
    const { status, body } = await post(TYPE, { ...diesel, parent });
    expect([status, body.errors[0].path]).toEqual([400, '/body/parent']);
  });

  it('stays valid when patched', async () => {
    const id = await specificationOf();
    const patch = { body: { tests: [{ ...sulphur, minimum: 11 }] } };
    const path = `/v2/workspaces/${workspace.id}/documents/${id}`;
    expect((await service.ask('PATCH', path, { as: 'client', body: patch })).status).toBe(400);
    const named = await service.ask('PATCH', path, { as: 'vendor', body: { body: { name: 'EN 590:2022' } } });
    expect([named.status, named.body.body.tests.length]).toEqual([200, 2]);
  });

  it('is found by its id in either letter case, however jobs were sent it', async () => {
    const id = await specificationOf();
    const upper = id.toUpperCase();
    const { names } = workspace;
    const parties = { client: { name: names.client }, vendor: { name: names.vendor } };
    const shown = await service.ask('POST', '/bridge/v1/data/jobs', {
      as: 'client',
      body: { ...parties, specification: upper },
    });
    const bulk = await service.ask('POST', `/v2/workspaces/${workspace.id}/documents/bulk`, {
      as: 'client',
      body: { type: 'svc.inspection.job', body: [{ specification: upper }] },
    });
    const changed = await jobWith(await specificationOf());
    const path = `/workspaces/${workspace.id}/jobs`;
    await service.ask('PATCH', `${path}/${changed}`, { as: 'client', body: { specification: upper } });
    const named = [await jobWith(id), await jobWith(upper), shown.body.id, bulk.body[0].id, changed].sort();
    for (const asked of [id, upper]) {
      const { body } = await service.ask('GET', `${path}?specification=${asked}`, { as: 'client' });
      expect(body.map((job: { id: string }) => job.id).sort()).toEqual(named);
    }
    const { jobs } = await ask(
      'query Q($id: UUID!) { jobs(where: { specification: { id: { eq: $id } } }) { nodes { id } } }',
      { id },
    );
    expect(jobs.nodes.map((job: { id: string }) => job.id).sort()).toEqual(named);
  });

  it.each([[5], [true], [{}], [{ name: 'EN 590' }], [['EN 590']], [''], ['EN 590']])(
    'is referenced by id only, in the Data API too: not by %j',
    async (specification) => {
      const made = await service.ask('POST', '/bridge/v1/data/jobs', {
        as: 'client',
        body: { refNumber: 'R', specification },
      });
      expect([made.status, made.body.errors?.[0].path]).toEqual([400, '/specification']);
    },
  );

  it('must be in the same workspace as the job that names it', async () => {
    const other = await makeWorkspace(service);
    const foreign = await service.ask('POST', `/v2/workspaces/${other.id}/documents`, {
      as: 'client',
      body: { type: TYPE, body: diesel },
    });
    const job = await jobWith(await specificationOf());
    for (const specification of [foreign.body.id, job, '0190a000-0000-7000-8000-000000000000', 'EN 590']) {
      const made = await post('svc.inspection.job', { specification });
      expect([made.status, made.body.errors?.[0].path]).toEqual([400, '/body/specification']);
      const patched = await service.ask('PATCH', `/workspaces/${workspace.id}/jobs/${job}`, {
        as: 'client',
        body: { specification },
      });
      expect([patched.status, patched.body.errors?.[0].path]).toEqual([400, '/specification']);
    }
    const bulk = await service.ask('POST', `/v2/workspaces/${workspace.id}/documents/bulk`, {
      as: 'client',
      body: { type: 'svc.inspection.job', body: [{}, { specification: foreign.body.id }] },
    });
    expect([bulk.status, bulk.body.errors?.[0].path]).toEqual([400, '/body/1/specification']);
  });

  it('is null once deleted, and its jobs can still be changed', async () => {
    const id = await specificationOf();
    const job = await jobWith(id);
    const result = await report(job, '8');
    await service.ask('DELETE', `/v2/workspaces/${workspace.id}/documents/${id}`, { as: 'client' });
    const patched = await service.ask('PATCH', `/workspaces/${workspace.id}/jobs/${job}`, {
      as: 'client',
      body: { notes: 'later' },
    });
    expect(patched.status).toBe(200);
    const found = await ask('query J($job: UUID!) { job(id: $job) { specification { id } conformity { step } } }', {
      job,
    });
    expect(found.job).toEqual({ specification: null, conformity: [] });
    const judged = await ask('query R($id: UUID!) { qualityResult(id: $id) { verdict { conformity reason } } }', {
      id: result,
    });
    const reason = 'The specification that the job names was deleted.';
    expect(judged.qualityResult.verdict).toEqual({ conformity: null, reason });
  });
});

describe('the verdict on a result', () => {
  const VERDICT =
    'query V($id: UUID!) { qualityResult(id: $id) { isOffSpec verdict { conformity limit margin reason } } }';
  const verdict = async (id: string) => (await ask(VERDICT, { id })).qualityResult.verdict;

  it('compares with the limit of its test, and keeps what the laboratory said', async () => {
    const job = await jobWith(await specificationOf());
    expect(await verdict(await report(job, '10'))).toEqual({
      conformity: 'MEETS',
      limit: 10,
      margin: 0.59,
      reason: null,
    });
    expect(await verdict(await report(job, '10.59'))).toMatchObject({ conformity: 'DOUBTFUL', limit: 10 });
    const failed = await report(job, '10.6', { isOffSpec: false });
    expect((await ask(VERDICT, { id: failed })).qualityResult).toMatchObject({
      isOffSpec: false,
      verdict: { conformity: 'FAILS' },
    });
    const light = await report(job, '819.9', { test: density.test, uom: density.uom, method: { name: 'D4052' } });
    expect(await verdict(light)).toEqual({ conformity: 'FAILS', limit: 820, margin: null, reason: null });
  });

  it.each([
    ['a bound', '<5', {}, 'The result is a bound, not a number.'],
    ['words', 'PASS', {}, 'The result is words, not a number.'],
    ['another method', '5', { method: { name: 'D5453' } }, 'The result is of another method than the limit.'],
    ['another unit', '5', { uom: { name: '% m/m' } }, 'The result is in another unit than the limit.'],
    ['a test without a limit', '5', { test: { name: 'Colour' } }, 'The specification has no limit for the test.'],
  ])('is null for %s', async (_what, result, more, reason) => {
    const job = await jobWith(await specificationOf());
    expect(await verdict(await report(job, result, more))).toEqual({
      conformity: null,
      limit: null,
      margin: null,
      reason,
    });
  });

  it('uses every digit that was sent', async () => {
    const job = await jobWith(await specificationOf());
    const of = async (result: string) => (await verdict(await report(job, result))).conformity;
    expect(await of('10.5900000000000000000')).toBe('DOUBTFUL');
    expect(await of('10.5900000000000000001')).toBe('FAILS');
    expect(await of('10.0000000000000000001')).toBe('DOUBTFUL');
  });

  it('is null without a specification, and treats synonyms as equal', async () => {
    const bare = (await post('svc.inspection.job', {})).body.id;
    expect((await verdict(await report(bare, '5'))).reason).toBe('The job names no specification.');
    const job = await jobWith(await specificationOf());
    const spelled = await report(job, '12', { test: { name: 'Sulfur' } });
    const sulfurs = await ask('query T($id: UUID!) { qualityResult(id: $id) { test { id } } }', { id: spelled });
    const plain = await ask('query T($id: UUID!) { qualityResult(id: $id) { test { id } } }', {
      id: await report(job, '1'),
    });
    const path = `/v2/workspaces/${workspace.id}/xrefs/tests/${sulfurs.qualityResult.test.id}/synonyms/${plain.qualityResult.test.id}`;
    await service.ask('POST', path, { as: 'vendor' });
    expect((await verdict(spelled)).conformity).toBe('FAILS');
  });
});
