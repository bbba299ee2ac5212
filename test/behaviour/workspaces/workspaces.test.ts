import { v7 as newId } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Ask, type Caller, makeWorkspace, serviceFixture } from '../../service.ts';

const NOWHERE = '0190a000-0000-7000-8000-00000000dead';
const service = serviceFixture();
let ours: string;
let theirs: string;
let foreign: string;

const organization = async (as: Caller) =>
  (await service.ask('POST', '/v2/organizations', { as, body: { name: `Org ${newId()}` } })).body.id as string;

beforeAll(async () => {
  [ours, theirs, foreign] = [
    await organization('client'),
    await organization('vendor'),
    await organization('stranger'),
  ];
});

const parties = (client: unknown, vendor: unknown) => ({ parties: { client: { id: client }, vendor: { id: vendor } } });
const create = (body: unknown, as: Caller = 'client') => service.ask('POST', '/v2/workspaces', { as, body });
const at = (method: string, id: string, options: Ask = {}) =>
  service.ask(method, `/v2/workspaces/${id}`, { as: 'client', ...options });
const fresh = async () => (await create({ description: 'fresh', ...parties(ours, theirs) })).body;
const pathsOf = (answer: { body: { errors: { path: string }[] } }) => answer.body.errors.map(({ path }) => path).sort();

describe('creating a workspace', () => {
  it('keeps what was sent, and returns the envelope', async () => {
    const body = {
      description: 'North Sea',
      parties: { client: { id: ours, xref: 'C-1', note: 1 }, vendor: { id: theirs, xref: 'V-1' }, more: [] },
      extra: true,
    };
    for (const sent of [body, { body }]) {
      const answer = await create(sent);
      expect([answer.status, answer.body.body]).toEqual([201, body]);
      expect(answer.body).toMatchObject({ type: 'svc.bridge.workspace', parent_id: null });
    }
  });

  it('accepts one organization of the own tenant, on either side', async () => {
    expect((await create(parties(ours, theirs), 'vendor')).status).toBe(201);
    expect((await create(parties(theirs, ours))).status).toBe(201);
    expect((await create(parties(ours.toUpperCase(), theirs))).body.body.parties.client.id).toBe(ours);
    const second = await organization('client');
    expect((await create(parties(ours, second))).status).toBe(201);
  });

  it('of two foreign organizations is 403', async () => {
    expect((await create(parties(ours, theirs), 'stranger')).body).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect((await create(parties(foreign, theirs))).body).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  it('with missing or identical organizations is 400', async () => {
    expect(pathsOf(await create(parties(ours, NOWHERE)))).toEqual(['/parties/vendor/id']);
    expect(pathsOf(await create(parties(NOWHERE, newId())))).toEqual(['/parties/client/id', '/parties/vendor/id']);
    expect(pathsOf(await create(parties(ours, ours.toUpperCase())))).toEqual(['/parties/vendor/id']);
  });

  it.each([
    [{}, ['/parties']],
    [{ parties: null }, ['/parties']],
    [{ parties: {} }, ['/parties/client', '/parties/vendor']],
    [{ parties: { client: {}, vendor: null } }, ['/parties/client/id', '/parties/vendor']],
    [{ ...parties('x', 7), description: 5 }, ['/description', '/parties/client/id', '/parties/vendor/id']],
  ])('without two parties is 400: %j', async (body, paths) => {
    const answer = await create(body);
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_INPUT']);
    expect([...new Set(pathsOf(answer))]).toEqual(paths);
  });
});

describe('a workspace', () => {
  it('is visible to and changeable by both parties only', async () => {
    const workspace = await fresh();
    for (const as of ['client', 'vendor', 'reader'] as const)
      expect((await at('GET', workspace.id, { as })).body).toEqual(workspace);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const answer = await at(method, workspace.id, {
        as: 'stranger',
        ...(method === 'PATCH' && { body: { body: {} } }),
      });
      expect(answer.body).toMatchObject({ status: 403, code: 'FORBIDDEN' });
      expect(answer.text).not.toContain('fresh');
    }
    expect((await service.ask('GET', '/workspaces', { as: 'stranger' })).body).toEqual([]);
    expect((await service.ask('GET', '/v2/workspaces?limit=1000', { as: 'stranger' })).body).toEqual([]);
    const changed = await at('PATCH', workspace.id, { as: 'vendor', body: { body: { description: 'by the vendor' } } });
    expect([changed.status, changed.body.body.description]).toEqual([200, 'by the vendor']);
  });

  it('keeps its parties in a PATCH, and accepts the description beside them', async () => {
    const workspace = await fresh();
    for (const tried of [parties(theirs, ours).parties, null, 'text', { client: { xref: 'new' } }]) {
      const same = await at('PATCH', workspace.id, { body: { body: { parties: tried } } });
      expect([same.status, same.body]).toEqual([200, workspace]);
    }
    const changed = await at('PATCH', workspace.id, {
      body: { body: { ...parties(theirs, foreign), description: 'new' } },
    });
    expect(changed.body.body).toEqual({ ...workspace.body, description: 'new' });
    const legacy = await service.ask('PATCH', `/workspaces/${workspace.id}`, {
      as: 'client',
      body: { parties: null, description: null },
    });
    expect([legacy.status, legacy.body.body]).toEqual([200, parties(ours, theirs)]);
    expect((await at('PATCH', workspace.id, { body: { body: { description: 7 } } })).body.errors).toMatchObject([
      { path: '/body/description' },
    ]);
    expect((await at('PATCH', workspace.id, { body: { description: 'no member body' } })).body.errors).toMatchObject([
      { path: '/body' },
    ]);
  });

  it('shows after a change who has accepted it: whoever had before, and whoever changed it', async () => {
    const { id } = await fresh();
    const mutation = `mutation ($id: UUID!, $patch: WorkspacePatch!) {
      updateWorkspace(id: $id, patch: $patch) { acceptedBy { id } }
    }`;
    const changed = async (as: Caller) =>
      (await service.graphql(mutation, { id, patch: { description: newId() } }, as)).body.data.updateWorkspace;
    expect(await changed('client')).toEqual({ acceptedBy: [{ id: ours }] });
    expect(await changed('vendor')).toEqual({ acceptedBy: [{ id: ours }, { id: theirs }] });
    expect(await changed('client')).toEqual({ acceptedBy: [{ id: ours }, { id: theirs }] });
  });

  it('accepts previous_version_id and If-Match', async () => {
    const workspace = await fresh();
    const change = (description: string, more: object, headers = {}) =>
      at('PATCH', workspace.id, { headers, body: { body: { description }, ...more } });
    const first = await change('1', { previous_version_id: null });
    expect(first.status).toBe(200);
    const stale = await change('2', { previous_version_id: null });
    expect([stale.status, stale.body.code]).toEqual([409, 'VERSION_CONFLICT']);
    expect(stale.body.detail).toContain(first.body.version_id);
    expect((await change('2', {}, { 'If-Match': `"${workspace.version_id}"` })).body.code).toBe('PRECONDITION_FAILED');
    expect(
      (await change('2', { previous_version_id: first.body.version_id }, { 'If-Match': `"${first.body.version_id}"` }))
        .status,
    ).toBe(200);
  });

  it.each(['GET', 'PATCH', 'DELETE'])('that does not exist is 404 in %s, legacy and v2', async (method) => {
    for (const path of ['/workspaces', '/v2/workspaces']) {
      for (const id of [NOWHERE, 'not-a-uuid', '%20', '0190a000000070008000-00000000dead']) {
        const answer = await service.ask(method, `${path}/${id}`, {
          as: 'client',
          ...(method === 'PATCH' && { body: { body: {} } }),
        });
        expect(answer.body).toMatchObject({ status: 404, code: 'NOT_FOUND' });
      }
    }
    const below = await service.ask('GET', `/workspaces/${NOWHERE}/jobs`, { as: 'client' });
    expect(below.body).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    const inside = await service.ask('POST', `/workspaces/${NOWHERE}/jobs`, { as: 'client', body: {} });
    expect(inside.body).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });
});

describe('everything in a workspace', () => {
  it('is 403 for a stranger', async () => {
    const { id } = await makeWorkspace(service);
    const { body: job } = await service.ask('POST', `/workspaces/${id}/jobs`, {
      as: 'client',
      body: { notes: 'secret' },
    });
    const tries: [string, string, unknown?][] = [
      ['GET', `/workspaces/${id}/jobs`],
      ['POST', `/workspaces/${id}/jobs`, {}],
      ['GET', `/workspaces/${id}/jobs/${job.id}`],
      ['PATCH', `/workspaces/${id}/jobs/${job.id}`, { notes: 'x' }],
      ['DELETE', `/workspaces/${id}/jobs/${job.id}`],
      ['GET', `/v2/workspaces/${id}/documents?type=svc.inspection.job`],
      ['POST', `/v2/workspaces/${id}/documents`, { type: 'svc.inspection.job', body: {} }],
      ['GET', `/v2/workspaces/${id}/documents/${job.id}`],
      ['PATCH', `/v2/workspaces/${id}/documents/${job.id}`, { body: {} }],
      ['DELETE', `/v2/workspaces/${id}/documents/${job.id}`],
    ];
    for (const [method, path, body] of tries) {
      const answer = await service.ask(method, path, { as: 'stranger', body });
      expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 403, 'FORBIDDEN']);
      expect(answer.text).not.toContain('secret');
    }
    expect((await service.ask('GET', `/workspaces/${id}/jobs/${job.id}`, { as: 'client' })).body).toEqual(job.body);
  });

  it('is not found under another workspace', async () => {
    const [one, other] = [await makeWorkspace(service), await makeWorkspace(service)];
    const { body: job } = await service.ask('POST', `/workspaces/${one.id}/jobs`, { as: 'client', body: {} });
    for (const path of [`/workspaces/${other.id}/jobs/${job.id}`, `/v2/workspaces/${other.id}/documents/${job.id}`]) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const answer = await service.ask(method, path, {
          as: 'vendor',
          ...(method === 'PATCH' && { body: { body: {} } }),
        });
        expect(answer.body).toMatchObject({ status: 404, code: 'NOT_FOUND' });
      }
    }
  });
});
