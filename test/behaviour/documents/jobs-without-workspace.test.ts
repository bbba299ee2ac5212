import { beforeEach, describe, expect, it } from 'vitest';
import { type Body, shapeA, shapeB, withoutIds } from '../../rest-compat/data-api/bodies.ts';
import { type Caller, makeWorkspace, serviceFixture, type TestWorkspace } from '../../service.ts';

const PATH = '/bridge/v1/data/jobs';
const NOBODY = { name: 'Nobody', xref: 'N-1' };

const service = serviceFixture();
let workspace: TestWorkspace;
let id: string;

beforeEach(async () => {
  workspace = await makeWorkspace(service);
  id = (await create({ ...shapeB(workspace), client: NOBODY })).id;
});

async function create(body: unknown) {
  const answer = await service.ask('POST', PATH, { as: 'client', body });
  expect([answer.status, answer.body.meta]).toEqual([201, {}]);
  return answer.body;
}
const listed = async (job: string, as: Caller = 'client') =>
  (await service.ask('GET', PATH, { as })).body.find((one: Body) => one.id === job);

async function graphql(query: string, variables: object = {}, as: Caller = 'client') {
  const { body } = await service.graphql(query, { id, w: workspace.id, ...variables }, as);
  return body.errors ? body.errors[0].extensions : body.data;
}
const PLACE =
  'mutation P($id: UUID!, $w: UUID!, $v: [String!]) { placeJob(id: $id, workspace: $w, expectedVersion: $v) { id versionId workspaceId body dataApiBody } }';
const UPDATE = 'mutation U($id: UUID!, $p: JobPatch!) { updateJob(id: $id, patch: $p) { body dataApiBody versionId } }';
const DELETE = 'mutation D($id: UUID!) { deleteJob(id: $id) { id dataApiBody } }';

describe('a job without a workspace', () => {
  it('is read by its tenant only', async () => {
    const READ =
      'query R($id: UUID!) { job(id: $id) { workspaceId workspace { id } location { id } transports { id } refNumber dataApiBody versions { number } attachments { id } qualityResults { id } } }';
    const { job } = await graphql(READ);
    expect(job).toMatchObject({
      workspaceId: null,
      workspace: null,
      location: null,
      transports: [],
      refNumber: 'KST-2042',
    });
    expect(withoutIds(job.dataApiBody)).toEqual(withoutIds({ ...shapeB(workspace), client: NOBODY }));
    expect(job.versions).toHaveLength(1);
    for (const as of ['vendor', 'stranger'] as const) {
      expect((await graphql(READ, {}, as)).code).toBe('FORBIDDEN');
      expect(await listed(id, as)).toBeUndefined();
    }
    const LIST = '{ jobs(filter: [{ field: "workspace", anyOf: [null] }]) { nodes { id } totalCount } }';
    expect((await graphql(LIST)).jobs.nodes).toContainEqual({ id });
    expect((await graphql(LIST, {}, 'vendor')).jobs.totalCount).toBe(0);
  });

  it.each([
    '{ location: null }',
    '{ client: null }',
    '{ transports: null }',
    '{ cargo: { product: null } }',
    '{ not: { location: {} } }',
  ])('is found by its references as they are shown: %s', async (where) => {
    const { jobs } = await graphql(`{ jobs(where: ${where}) { nodes { id } } }`);
    expect(jobs.nodes).toContainEqual({ id });
  });

  it('has null for the id of each reference, in both shapes', async () => {
    const references = (body: unknown): unknown[] => JSON.stringify(body).match(/"id":[^,}]*/g) ?? [];
    const b = (await listed(id)).body;
    expect(references(b)).toEqual(Array.from({ length: 7 }, () => '"id":null'));
    const a = (await create({ ...shapeA(workspace), vendor: NOBODY })).body;
    expect(references(a)).toEqual(Array.from({ length: 9 }, () => '"id":null'));
    expect(withoutIds(a)).toEqual(withoutIds({ ...shapeA(workspace), vendor: NOBODY }));
  });

  it('appears under no workspace path', async () => {
    for (const path of [`/workspaces/${workspace.id}/jobs/${id}`, `/v2/workspaces/${workspace.id}/documents/${id}`]) {
      expect((await service.ask('GET', path, { as: 'client' })).status).toBe(404);
    }
    const child = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: { parent: id } });
    expect([child.status, child.body.errors[0].path]).toEqual([400, '/parent']);
  });

  it('creates no catalog records', async () => {
    const records = () => service.stores.db.collection('catalog_records').countDocuments();
    const before = await records();
    await create({ ...shapeA(workspace), client: NOBODY });
    expect(await records()).toBe(before);
  });

  it('has no parent', async () => {
    for (const parent of [id, '0190a000-0000-7000-8000-000000000000']) {
      const answer = await service.ask('POST', PATH, { as: 'client', body: { parent } });
      expect([answer.status, answer.body.errors.map(({ path }: { path: string }) => path)]).toEqual([400, ['/parent']]);
    }
    const refused = await graphql(UPDATE, { p: { parent: id } });
    expect([refused.code, refused.errors[0].path]).toEqual(['INVALID_INPUT', '/parent']);
  });

  it('is changed by its tenant, references included', async () => {
    const patch = { status: 'active', location: { name: 'Antwerp' }, cargo: { quantity: 7 }, notes: null };
    const { updateJob } = await graphql(UPDATE, { p: patch });
    expect(updateJob.dataApiBody).toMatchObject({
      status: 'active',
      cargo: { quantity: { value: 7, uom: { id: null, name: 'Barrel' }, at: '15 °C' } },
    });
    expect(updateJob.dataApiBody.location).toEqual({ id: null, name: 'Antwerp' });
    expect(updateJob.dataApiBody).not.toHaveProperty('notes');
    expect((await listed(id)).body).toEqual(updateJob.dataApiBody);
    for (const as of ['vendor', 'stranger'] as const) {
      expect((await graphql(UPDATE, { p: patch }, as)).code).toBe('FORBIDDEN');
    }
    expect((await graphql(UPDATE, { p: patch }, 'reader')).code).toBe('FORBIDDEN');
  });

  it('has a reference replaced by one that names another record, and merged with one that does not', async () => {
    const location = { xref: 'NLRTM', name: 'Rotterdam', country: 'NL' };
    const { id: job } = await create({ client: NOBODY, location, cargo: { product: { name: 'Oil', code: 'O' } } });
    const patched = async (p: object) => (await graphql(UPDATE, { id: job, p })).updateJob.body;
    expect((await patched({ location: { berth: 7, country: null } })).location).toEqual({
      xref: 'NLRTM',
      name: 'Rotterdam',
      berth: 7,
    });
    expect((await patched({ location: { xref: 'NLRTM', name: ' ROTTERDAM' } })).location).toMatchObject({ berth: 7 });
    expect((await patched({ location: { name: 'Ghent' } })).location).toEqual({ name: 'Ghent' });
    expect((await patched({ cargo: { product: { xref: 'J' } } })).cargo).toEqual({ product: { xref: 'J' } });
    expect((await patched({ client: { name: workspace.names.client } })).client).toEqual({
      name: workspace.names.client,
    });
    await service.ask('POST', `/workspaces/${workspace.id}/catalogs/locations`, { as: 'client', body: location });
    const { placeJob } = await graphql(PLACE, { id: job });
    expect(placeJob.dataApiBody.location).toEqual({ name: 'Ghent', id: placeJob.body.location });
  });

  it('accepts no record ids and no workspace in a patch', async () => {
    const uuid = '0190a000-0000-7000-8000-000000000000';
    for (const [patch, path] of [
      [{ location: uuid }, '/location'],
      [{ transports: [{ id: uuid }] }, '/transports/0'],
      [{ workspace: workspace.id }, '/workspace'],
      [{ status: 'odd' }, '/status'],
    ] as const) {
      const refused = await graphql(UPDATE, { p: patch });
      expect([refused.code, refused.errors.map((fault: Body) => fault.path)]).toEqual(['INVALID_INPUT', [path]]);
    }
  });

  it('is deleted by its tenant', async () => {
    expect((await graphql(DELETE, {}, 'vendor')).code).toBe('FORBIDDEN');
    const { body } = await listed(id);
    expect((await graphql(DELETE)).deleteJob).toEqual({ id, dataApiBody: body });
    expect((await graphql(DELETE)).code).toBe('NOT_FOUND');
    expect(await listed(id)).toBeUndefined();
  });

  it('keeps its lists in sync in Shape A', async () => {
    const { id: job } = await create({ ...shapeA(workspace), client: NOBODY });
    const patch = {
      location: { name: 'Ghent' },
      transports: [{ name: 'MT New' }],
      cargo: { product: { name: 'Naphtha' } },
    };
    const { updateJob } = await graphql(UPDATE, { id: job, p: patch });
    const { inspectionObjects, cargoes } = updateJob.dataApiBody;
    expect(inspectionObjects).toHaveLength(1);
    expect(inspectionObjects[0]).toMatchObject({ object: { id: null, name: 'MT New' }, location: { name: 'Ghent' } });
    expect(cargoes.map(({ product }: { product: Body }) => product.name)).toEqual(['Naphtha', 'Jet A-1']);
    expect(updateJob.body).toMatchObject({ location: { name: 'Ghent' }, transports: [{ name: 'MT New' }] });
  });

  it('keeps a Shape A location that no list has, also when placed', async () => {
    const { id: job } = await create({ ...shapeA(workspace), client: NOBODY });
    const { updateJob } = await graphql(UPDATE, { id: job, p: { transports: [] } });
    const { location } = updateJob.dataApiBody;
    expect([updateJob.dataApiBody.inspectionObjects, location]).toEqual([
      [],
      expect.objectContaining({ id: null, name: 'Rotterdam', country: 'NL', berth: 7 }),
    ]);
    const { placeJob } = await graphql(PLACE, { id: job });
    expect(placeJob.dataApiBody).toMatchObject({
      inspectionObjects: [],
      location: { ...location, id: placeJob.body.location },
    });
  });
});

describe('placeJob', () => {
  it('puts the job into a workspace, with records for its references, as a new version', async () => {
    const before = await listed(id);
    const { placeJob } = await graphql(PLACE);
    expect(placeJob).toMatchObject({
      id,
      workspaceId: workspace.id,
      body: { workspace: workspace.id, client: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    expect(placeJob.versionId).not.toBe(before.version_id);
    expect(withoutIds(placeJob.dataApiBody)).toEqual(withoutIds(before.body));
    expect(placeJob.dataApiBody.location.id).toBe(placeJob.body.location);
    const seen = await listed(id, 'vendor');
    expect([seen.body, seen.meta, seen.created_at]).toEqual([
      placeJob.dataApiBody,
      { workspace: workspace.id },
      before.created_at,
    ]);
    const legacy = await service.ask('GET', `/workspaces/${workspace.id}/jobs/${id}`, { as: 'vendor' });
    expect(legacy.body).toEqual(placeJob.body);
    const { job } = await graphql(
      'query V($id: UUID!) { job(id: $id) { versions { number versionId } location { name } } }',
      {},
      'vendor',
    );
    expect(job).toMatchObject({
      versions: [{ number: 2, versionId: placeJob.versionId }],
      location: { name: 'Rotterdam' },
    });
  });

  it('gives a Shape A job what the other families see', async () => {
    const kept = { location: 'as sent', cargo: { product: 'as sent', quantity: { value: 5 } } };
    const made = await create({ ...shapeA(workspace), client: NOBODY, ...kept });
    const { placeJob } = await graphql(PLACE, { id: made.id });
    const { inspectionObjects, cargoes } = placeJob.body;
    expect(placeJob.body).toMatchObject({
      transports: inspectionObjects.map(({ object }: { object: Body }) => object.id),
      location: inspectionObjects[0].location.id,
      cargo: { product: cargoes[0].product.id },
    });
    expect(withoutIds(placeJob.dataApiBody)).toEqual(withoutIds(made.body));
  });

  it('finds existing records, and creates the others once', async () => {
    const other = await create({ ...shapeA(workspace), vendor: NOBODY });
    const [one, two] = await Promise.all([graphql(PLACE), graphql(PLACE, { id: other.id })]);
    expect(one.placeJob.body.location).toBe(two.placeJob.body.location);
    expect(one.placeJob.body.transports).toEqual(two.placeJob.body.transports);
  });

  it("refuses another tenant's workspace, an unknown one, another tenant's job, and a stale version", async () => {
    const stranger = await service.ask('POST', PATH, { as: 'stranger', body: { notes: 'mine' } });
    const unknown = '0190a000-0000-7000-8000-000000000000';
    expect((await graphql(PLACE, { w: unknown })).code).toBe('NOT_FOUND');
    expect((await graphql(PLACE, { id: unknown })).code).toBe('NOT_FOUND');
    expect((await graphql(PLACE, { id: stranger.body.id })).code).toBe('FORBIDDEN');
    expect((await graphql(PLACE, {}, 'vendor')).code).toBe('FORBIDDEN');
    expect((await graphql(PLACE, { id: stranger.body.id }, 'stranger')).code).toBe('FORBIDDEN');
    expect((await graphql(PLACE, {}, 'reader')).code).toBe('FORBIDDEN');
    expect((await graphql(PLACE, { v: [unknown] })).code).toBe('PRECONDITION_FAILED');
    expect((await listed(id)).meta).toEqual({});
  });

  it('refuses a job already in a workspace, also when two place it at once', async () => {
    const outcomes = await Promise.all([graphql(PLACE), graphql(PLACE), graphql(PLACE)]);
    expect(outcomes.map((outcome) => outcome.code ?? 'placed').sort()).toEqual(['CONFLICT', 'CONFLICT', 'placed']);
    const elsewhere = await makeWorkspace(service);
    expect((await graphql(PLACE, { w: elsewhere.id })).code).toBe('CONFLICT');
  });

  it('leaves no orphan when the workspace is deleted at the same time', async () => {
    for (let i = 0; i < 5; i++) {
      const place = await makeWorkspace(service);
      const job = (await create({ notes: `${i}`, location: { name: 'Port' } })).id;
      const [placed, deleted] = await Promise.all([
        graphql(PLACE, { id: job, w: place.id }),
        service.ask('DELETE', `/workspaces/${place.id}`, { as: 'client' }),
      ]);
      const home = (await listed(job)).meta.workspace;
      if (deleted.status === 200) {
        expect([home, ['NOT_FOUND', 'CONFLICT']]).toEqual([undefined, expect.arrayContaining([placed.code])]);
        const left = await service.stores.db.collection('catalog_records').countDocuments({ workspace: place.id });
        expect(left).toBe(0);
      } else expect([deleted.body.code, home]).toEqual(['WORKSPACE_NOT_EMPTY', place.id]);
    }
  });
});
