import { beforeAll, describe, expect, it } from 'vitest';
import { RESULT_TYPES } from '../../../src/model/document-types.ts';
import { graphqlTypeName } from '../../../src/model/entity/graphql-names.ts';
import { type Caller, makeWorkspace, serviceFixture, workspaceFixture } from '../../service.ts';
import { KINDS, type Kind } from './result-kinds.ts';

const UNKNOWN = '0190a000-0000-7000-8000-000000000000';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const service = serviceFixture();
const workspace = workspaceFixture(service);
let other: string;

const ask = (method: string, path: string, body?: unknown, as: Caller = 'vendor') =>
  service.ask(method, path, { as, ...(body !== undefined && { body }) });
const newJob = async () => (await ask('POST', `/workspaces/${workspace.id}/jobs`, {}, 'client')).body.id as string;
const pathOf = (job: string, { path }: Kind) => `/workspaces/${workspace.id}/jobs/${job}/${path}`;
const at = (body: unknown, path: string) =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], body);

beforeAll(async () => {
  other = await newJob();
});

it('every type of result is tested here', () => {
  const known = KINDS.map(({ type, name }) => [type, name]).sort();
  expect(known).toEqual(RESULT_TYPES.map(({ name, noun }) => [name, graphqlTypeName(noun)]).sort());
});

describe.each(KINDS)('/workspaces/{workspace_id}/jobs/{job_id}/$path', (kind) => {
  it('creates, returns, lists, changes and deletes, each in its own form', async () => {
    const job = await newJob();
    const path = pathOf(job, kind);
    const made = await ask('POST', path, kind.body);
    expect([made.status, Object.keys(made.body)]).toEqual([201, ['id', 'body']]);
    const { id, body } = made.body;
    expect(made.headers.get('location')).toBe(`${path}/${id}`);
    expect(body).toMatchObject({ workspace: workspace.id, parent: job });
    for (const place of kind.references) expect(at(body, place), place).toMatch(UUID);
    expect(withoutReferences(body, kind)).toEqual({
      ...withoutReferences(kind.body, kind),
      workspace: workspace.id,
      parent: job,
    });

    const got = await ask('GET', `${path}/${id}`, undefined, 'client');
    expect([got.status, got.body, got.headers.get('etag')]).toEqual([200, body, made.headers.get('etag')]);
    expect((await ask('GET', path)).body).toEqual([{ id, body }]);

    const changed = await ask('PATCH', `${path}/${id}`, { added: { here: true } }, 'client');
    expect([changed.status, changed.body]).toEqual([200, { ...body, added: { here: true } }]);
    expect(changed.headers.get('etag')).not.toBe(made.headers.get('etag'));

    const deleted = await ask('DELETE', `${path}/${id}`);
    expect([deleted.status, deleted.body]).toEqual([200, changed.body]);
    expect((await ask('GET', `${path}/${id}`)).status).toBe(404);
    expect((await ask('GET', path)).body).toEqual([]);
  });

  it('requires no field, and keeps what is sent', async () => {
    const path = pathOf(await newJob(), kind);
    expect((await ask('POST', path, {})).status).toBe(201);
    expect((await ask('POST', path, { own: [{ deep: null }] })).body.body.own).toEqual([{ deep: null }]);
  });

  it('fills in the parent and the workspace, and refuses others', async () => {
    const job = await newJob();
    const path = pathOf(job, kind);
    const same = await ask('POST', path, { parent: job.toUpperCase(), workspace: workspace.id });
    expect([same.status, same.body.body.parent]).toEqual([201, job]);
    for (const [body, at] of [
      [{ parent: other }, '/parent'],
      [{ workspace: UNKNOWN }, '/workspace'],
    ] as const) {
      for (const [method, place] of [
        ['POST', path],
        ['PATCH', `${path}/${same.body.id}`],
      ] as const) {
        const refused = await ask(method, place, body);
        expect([method, refused.status, refused.body.errors?.[0].path]).toEqual([method, 400, at]);
      }
    }
    expect((await ask('GET', path)).body).toHaveLength(1);
  });

  it('is found only below its own job and workspace', async () => {
    const job = await newJob();
    const { id } = (await ask('POST', pathOf(job, kind), {})).body;
    const elsewhere = await makeWorkspace(service);
    const places = [`${pathOf(other, kind)}/${id}`, `/workspaces/${elsewhere.id}/jobs/${job}/${kind.path}/${id}`];
    const kinds = KINDS.filter((each) => each !== kind).map((each) => `${pathOf(job, each)}/${id}`);
    for (const place of [...places, ...kinds]) {
      for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as const) {
        expect([place, method, (await ask(method, place, body)).status]).toEqual([place, method, 404]);
      }
    }
    for (const [method, body] of [['GET'], ['POST', {}]] as const) {
      const unknown = await ask(method, pathOf(UNKNOWN, kind), body);
      const foreign = await ask(method, `/workspaces/${elsewhere.id}/jobs/${job}/${kind.path}`, body);
      expect([method, unknown.status, foreign.status]).toEqual([method, 404, 404]);
    }
    expect((await ask('GET', `${pathOf(job, kind)}/${id}`)).status).toBe(200);
  });

  it('filters by any data-model field, without a prefix', async () => {
    const path = pathOf(await newJob(), kind);
    const { id } = (await ask('POST', path, kind.body)).body;
    await ask('POST', path, {});
    const ids = async (query: string) =>
      (await ask('GET', `${path}?${query}`)).body.map((row: { id: string }) => row.id);
    for (const query of kind.fits) expect([query, await ids(query)]).toEqual([query, [id]]);
    for (const query of kind.misfits) expect([query, (await ids(query)).includes(id)]).toEqual([query, false]);
    expect(await ids(`id=${id}&parent=${UNKNOWN}`)).toEqual([]);
    for (const query of ['colour=red', 'filter[status]=x', 'parent=7', 'body.id=7', '$where=1']) {
      const refused = await ask('GET', `${path}?${query}`);
      expect([query, refused.status, refused.body.errors?.[0].parameter]).toEqual([query, 400, query.split('=')[0]]);
    }
  });

  it('pages and sorts, and lists all by default', async () => {
    const path = pathOf(await newJob(), kind);
    const ids: string[] = [];
    for (let i = 0; i < 30; i++) ids.push((await ask('POST', path, {})).body.id);
    const listed = async (query: string) =>
      (await ask('GET', `${path}${query}`)).body.map((row: { id: string }) => row.id);
    const newestFirst = await listed('');
    expect([...newestFirst].sort()).toEqual([...ids].sort());
    expect(newestFirst).toEqual(await listed('?sort=created_at:desc,id:asc&limit=30'));
    expect(await listed('?sort=id:asc')).toEqual([...ids].sort());
    expect(await listed('?sort=id&limit=7&offset=5')).toEqual([...ids].sort().slice(5, 12));
    expect(await listed(`?sort=${kind.sort},id:desc&offset=28`)).toHaveLength(2);
    expect(await listed('?offset=30')).toEqual([]);
  });

  it('reports each fault by its position in the body', async () => {
    const path = pathOf(await newJob(), kind);
    const { id } = (await ask('POST', path, {})).body;
    for (const [body, place] of kind.wrong) {
      for (const answer of [await ask('POST', path, body), await ask('PATCH', `${path}/${id}`, body)]) {
        expect([place, answer.status, answer.body.code]).toEqual([place, 400, 'INVALID_INPUT']);
        expect(answer.body.errors.map((fault: { path: string }) => fault.path)).toContain(place);
      }
    }
    expect((await ask('GET', path)).body).toHaveLength(1);
  });

  it('honours If-Match, and answers If-None-Match with 304', async () => {
    const path = pathOf(await newJob(), kind);
    const made = await ask('POST', path, {});
    const place = `${path}/${made.body.id}`;
    const etag = made.headers.get('etag') ?? '';
    const send = (method: string, headers: Record<string, string>, body?: object) =>
      service.ask(method, place, { as: 'client', headers, body });
    expect((await send('GET', { 'If-None-Match': etag })).status).toBe(304);
    expect((await send('PATCH', { 'If-Match': etag }, { own: 1 })).status).toBe(200);
    expect((await send('PATCH', { 'If-Match': etag }, { own: 2 })).status).toBe(412);
    expect((await send('GET', { 'If-None-Match': etag })).body).toMatchObject({ own: 1 });
    expect((await send('DELETE', { 'If-Match': etag })).status).toBe(412);
    expect((await send('DELETE', { 'If-Match': '*' })).status).toBe(200);
  });
});

describe('rules of single kinds', () => {
  const kind = (path: string) => KINDS.find((each) => each.path === path) as Kind;

  it('a job has one quantity result per direction', async () => {
    const path = pathOf(await newJob(), kind('quantity'));
    const source = (await ask('POST', path, { direction: 'source' })).body.id;
    expect((await ask('POST', path, { direction: 'source' })).body.code).toBe('DUPLICATE_DIRECTION');
    const destination = await ask('POST', path, { direction: 'destination' });
    expect(destination.status).toBe(201);
    const turned = await ask('PATCH', `${path}/${source}`, { direction: 'destination' });
    expect([turned.status, turned.body.code]).toEqual([409, 'DUPLICATE_DIRECTION']);
    for (let i = 0; i < 2; i++) expect((await ask('POST', path, {})).status).toBe(201);
  });

  it('a patch under one spelling replaces the other', async () => {
    const path = pathOf(await newJob(), kind('quality'));
    const { id } = (await ask('POST', path, { testDate: '2026-05-01', comment: 'x' })).body;
    const { body } = await ask('PATCH', `${path}/${id}`, { date: '2026-05-02', notes: null });
    expect(body).toMatchObject({ date: '2026-05-02' });
    expect([Object.hasOwn(body, 'testDate'), Object.hasOwn(body, 'comment')]).toEqual([false, false]);
  });

  it('results are deleted with their job', async () => {
    const job = await newJob();
    for (const each of KINDS) await ask('POST', pathOf(job, each), {});
    await ask('DELETE', `/workspaces/${workspace.id}/jobs/${job}`);
    for (const each of KINDS) expect((await ask('GET', pathOf(job, each))).status).toBe(404);
    expect(await service.stores.db.collection('documents').countDocuments({ parent_id: job })).toBe(0);
  });
});

/** A body with null in place of its references. */
function withoutReferences(body: unknown, { references }: Kind): Record<string, unknown> {
  const copy = structuredClone(body) as Record<string, unknown>;
  for (const place of references) {
    const names = place.split('.');
    const last = names.pop() ?? '';
    const holder = (names.length === 0 ? copy : at(copy, names.join('.'))) as Record<string, unknown>;
    holder[last] = null;
  }
  return copy;
}
