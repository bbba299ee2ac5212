import { describe, expect, it } from 'vitest';
import { type Caller, makeWorkspace, serviceFixture, workspaceFixture } from '../../service.ts';
import { type Body, shapeA, shapeB, submitted, withoutIds } from './bodies.ts';

const PATH = '/bridge/v1/data/jobs';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const send = (method: string, body: unknown, as: Caller = 'client', headers = {}) =>
  service.ask(method, PATH, { as, body, headers });
const listed = async (as: Caller, query = '') => (await service.ask('GET', `${PATH}${query}`, { as })).body as Body[];
const listedOne = async (as: Caller, id: string) => (await listed(as)).find((job) => job.id === id);

const FORMS: readonly [string, string, () => Body][] = [
  ['bridge.jobs.create — POST of Shape A, to create', 'POST', () => shapeA(workspace)],
  ['bridge.jobs.create — POST of Shape A, to submit', 'POST', () => submitted(workspace)],
  ['bridge.jobs.create — POST of Shape B', 'POST', () => shapeB(workspace)],
  ['bridge.jobs.submit — PUT of Shape A, to submit', 'PUT', () => submitted(workspace)],
];

describe.each(FORMS)('%s', (title, method, body) => {
  it('answers 201 with the envelope, and the body in the shape of the request', async () => {
    const { status, headers, body: job } = await send(method, body());
    expect(status).toBe(201);
    expect(Object.keys(job)).toEqual([
      'id',
      'version_id',
      'parent_id',
      'created_by',
      'created_at',
      'modified_by',
      'modified_at',
      'type',
      'body',
      'meta',
      'schema',
    ]);
    expect(job).toMatchObject({ type: 'svc.inspection.job', parent_id: null, meta: { workspace: workspace.id } });
    expect(headers.get('etag')).toMatch(new RegExp(`^"${job.version_id}(-gzip)?"$`)); // long answers are compressed
    expect(headers.get('location')).toBeNull();
    expect(withoutIds(job.body)).toEqual(withoutIds(body()));
  });

  it('creates a new job each time, also on a path with a trailing slash', async () => {
    const first = await send(method, body());
    const second = await service.ask(method, `${PATH}/`, { as: 'client', body: body() });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.id).not.toBe(first.body.id);
  });

  it('is visible to both parties, and to no stranger', async () => {
    const { body: job } = await send(method, body());
    for (const party of ['client', 'vendor'] as const) {
      expect(await listedOne(party, job.id)).toEqual({ ...job, type: 'svc.nim.job' });
    }
    expect(await listed('stranger')).toEqual([]);
  });

  it('is kept without a workspace for a stranger naming its parties', async () => {
    const { status, body: job } = await send(method, body(), 'stranger');
    expect([status, job.meta]).toEqual([201, {}]);
    expect(await listedOne('client', job.id)).toBeUndefined();
    expect((await listedOne('stranger', job.id))?.body).toEqual(job.body);
    await service.graphql('mutation D($id: UUID!) { deleteJob(id: $id) { id } }', { id: job.id }, 'stranger');
  });

  it('requires a credential that may write', async () => {
    const before = (await listed('client')).length;
    expect((await service.ask(method, PATH, { body: body() })).status).toBe(401);
    expect((await send(method, body(), 'reader')).body.code).toBe('FORBIDDEN');
    expect((await listed('client')).length).toBe(before);
  });

  it('refuses an unknown version, and accepts 1.0 and none', async () => {
    for (const version of ['2.0', '1', '1.0.0', 'latest']) {
      const answer = await send(method, body(), 'client', { 'Accept-Version': version });
      expect([version, answer.status, answer.body.code]).toEqual([version, 400, 'UNSUPPORTED_VERSION']);
    }
    for (const version of ['1.0', '']) {
      expect((await send(method, body(), 'client', { 'Accept-Version': version })).status).toBe(201);
    }
  });

  it('creates once under an Idempotency-Key, even for concurrent requests', async () => {
    const headers = { 'Idempotency-Key': `once ${encodeURIComponent(title)}` };
    const [one, other] = await Promise.all([
      send(method, body(), 'client', headers),
      send(method, body(), 'client', headers),
    ]);
    expect([one?.status, other?.status]).toEqual([201, 201]);
    expect(other?.body.id).toBe(one?.body.id);
    const changed = await send(method, { ...body(), notes: 'changed' }, 'client', headers);
    expect([changed.status, changed.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('keeps unknown members, and refuses names no body may have', async () => {
    const odd = { 'a.b': 1, '': [], workspaces: { id: 'mine' }, 'é/~': 'x' };
    const { body: job } = await send(method, { ...body(), ...odd });
    expect(job.body).toMatchObject(odd);
    for (const name of ['$where', '__proto__', 'constructor', 'prototype', 'a\0b']) {
      const text = JSON.stringify(body()).replace(/}$/, `,${JSON.stringify(name)}:1}`);
      const answer = await send(method, text);
      expect([name, answer.status, answer.body.errors?.length]).toEqual([name, 400, 1]);
    }
  });

  it('refuses a parent that is no document of the workspace, and accepts one that is', async () => {
    const { body: parent } = await send(method, body());
    const child = await send(method, { ...body(), parent: parent.id });
    expect([child.status, child.body.parent_id, child.body.body.parent]).toEqual([201, parent.id, parent.id]);
    const elsewhere = await makeWorkspace(service);
    const foreign = await service.ask('POST', `/workspaces/${elsewhere.id}/jobs`, { as: 'client', body: {} });
    for (const id of [foreign.body.id, '0190a000-0000-7000-8000-000000000000']) {
      const answer = await send(method, { ...body(), parent: id });
      expect([answer.status, answer.body.errors?.[0].path]).toEqual([400, '/parent']);
    }
  });

  it('accepts the workspace that is found, and refuses another', async () => {
    expect((await send(method, { ...body(), workspace: workspace.id })).status).toBe(201);
    const elsewhere = await makeWorkspace(service);
    const strangers = { client: { name: 'Nobody', xref: 'N' }, vendor: { name: 'No one', xref: 'N' } };
    const message = expect.stringMatching(/^must be a workspace of this client and vendor that your tenant opened or/);
    for (const parties of [{}, strangers]) {
      const answer = await send(method, { ...body(), ...parties, workspace: elsewhere.id });
      expect([answer.status, answer.body.errors]).toEqual([400, [{ path: '/workspace', message }]]);
    }
  });
});

describe('the shape of a body', () => {
  it('is A with either list, even an empty one, and B without', async () => {
    const { inspectionObjects: _o, cargoes: _c, ...rest } = submitted(workspace);
    for (const lists of [{ inspectionObjects: [] }, { cargoes: [] }, { inspectionObjects: [], cargoes: [] }]) {
      const made = await send('POST', { ...rest, ...lists });
      expect([made.status, withoutIds(made.body.body)]).toEqual([201, { ...rest, ...lists }]);
      const incomplete = await send('POST', lists);
      expect([incomplete.status, incomplete.body.errors?.length]).toEqual([400, 11]);
    }
    expect((await send('POST', { notes: 'B needs nothing' })).status).toBe(201);
  });

  it('is B if the lists of A are null, which are returned', async () => {
    for (const lists of [{ inspectionObjects: null }, { cargoes: null }, { inspectionObjects: null, cargoes: null }]) {
      const { status, body: job } = await send('POST', { ...shapeB(workspace), retain: null, ...lists });
      const sent = withoutIds({ ...shapeB(workspace), retain: null, ...lists });
      expect([status, withoutIds(job.body)]).toEqual([201, sent]);
      expect((await listedOne('vendor', job.id))?.body).toEqual(job.body);
      const mixed = await send('POST', { ...submitted(workspace), inspectionObjects: null });
      expect([mixed.status, mixed.body.body.inspectionObjects]).toEqual([201, null]);
    }
  });

  it('is refused if empty', async () => {
    for (const method of ['POST', 'PUT']) {
      const answer = await send(method, {});
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_INPUT']);
    }
  });

  it('must be the submit form on PUT: the create form and Shape B are refused', async () => {
    const { tripNumber, region, activity, sampleDate, coordinator, operator, split, ...create } = shapeA(workspace);
    expect((await send('POST', create)).status).toBe(201);
    const paths = (answer: { body: { errors: { path: string }[] } }) => answer.body.errors.map(({ path }) => path);
    expect(paths(await send('PUT', create))).toEqual([
      '/tripNumber',
      '/region',
      '/activity',
      '/sampleDate',
      '/coordinator',
      '/operator',
    ]);
    expect(paths(await send('PUT', shapeB(workspace)))).toEqual([
      '/region',
      '/sampleDate',
      '/coordinator',
      '/operator',
    ]);
  });

  it('keeps, in Shape A, members sent under the names of Shape B', async () => {
    const odd = { location: { anything: [1] }, transports: 'none', cargo: { quantity: 'much', product: 5 } };
    const { status, body: job } = await send('POST', { ...shapeA(workspace), ...odd });
    expect([status, withoutIds(job.body)]).toEqual([201, { ...(withoutIds(shapeA(workspace)) as Body), ...odd }]);
    expect((await listedOne('vendor', job.id))?.body).toEqual(job.body);
  });
});
