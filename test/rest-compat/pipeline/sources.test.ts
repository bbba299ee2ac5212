import { describe, expect, it } from 'vitest';
import { invalidInput } from '../../../src/errors.ts';
import type { Variables } from '../../../src/gateway.ts';
import { entity, fakeService, ID, VERSION } from './fake-service.ts';

/** The operation's arguments for one request, or the faults of its refusal. */
async function seen(method: string, path: string, init: object = {}): Promise<Variables> {
  let got: Variables = {};
  const note = (result: unknown) => (args: Variables) => {
    got = { ...args };
    return result;
  };
  const roots = [
    'updateWorkspace',
    'updateDocument',
    'createOrganization',
    'createDocument',
    'deleteWorkspace',
    'updateJob',
  ];
  await using service = await fakeService({
    ...Object.fromEntries(roots.map((name) => [name, note(entity())])),
    organizations: note({ nodes: [], pageInfo: { hasNextPage: false } }),
    documents: note({ nodes: [], pageInfo: { hasNextPage: false } }),
    jobs: note({ nodes: [], pageInfo: { hasNextPage: false } }),
  });
  const answer = await service.ask(method, path, init);
  return answer.ok ? got : { status: answer.status, ...((await answer.json()) as object) };
}

const faults = async (path: string) =>
  ((await seen('GET', path)).errors as { parameter: string }[]).map(({ parameter }) => parameter);

describe('query parameters', () => {
  it('an absent one omits its variable; v2 lists have 25 items', async () => {
    expect(await seen('GET', '/v2/organizations')).toEqual({ first: 25 });
  });

  it.each(['limit=', 'limit=null'])('%s counts as absent', async (query) => {
    expect(await seen('GET', `/v2/organizations?${query}`)).toEqual({ first: 25 });
  });

  it.each(['offset=', 'offset=null', 'sort='])('%s is refused', async (query) => {
    expect(await faults(`/v2/organizations?${query}`)).toEqual([query.slice(0, query.indexOf('='))]);
  });

  it('an empty filter matches the empty text', async () => {
    const filter = [{ field: 'category', anyOf: [''] }];
    expect(await seen('GET', '/v2/organizations?category=')).toEqual({ first: 25, filter });
  });

  it('limit, offset, sort and named ones reach the operation', async () => {
    const path =
      '/v2/organizations?limit=7&offset=2147483647&name=Ac%20me+x&category=none&category=shipper&sort=name,%20created_at:desc';
    expect(await seen('GET', path)).toEqual({
      first: 7,
      offset: 2147483647,
      nameContains: 'Ac me x',
      filter: [{ field: 'category', anyOf: [null, 'shipper'] }],
      orderBy: [
        { field: 'name', direction: 'asc' },
        { field: 'created_at', direction: 'desc' },
      ],
    });
  });

  it.each(['limit=0', 'limit=-1', 'limit=1.5', 'limit=x', 'limit=2147483648', 'limit=1&limit=2'])(
    '%s is refused',
    async (query) => {
      expect(await faults(`/v2/organizations?${query}`)).toEqual(['limit']);
    },
  );

  it('all faults are reported at once', async () => {
    const path = '/v2/organizations?limit=0&offset=-1&sort=a:up,,b&name=a&name=b&x=1&filter[]=1&filter=2';
    const named = ['filter', 'filter[]', 'limit', 'name', 'offset', 'sort', 'sort', 'x'];
    expect((await faults(path)).sort()).toEqual(named);
  });

  it('v2 filters are in brackets, repeated ones match any, null means absent', async () => {
    const path = `/v2/workspaces/${ID}/documents?type=t&filter[body.status]=a&filter[body.status]=b&filter%5Bparent%5D=null`;
    expect(await seen('GET', path)).toEqual({
      workspace: ID,
      type: 't',
      first: 25,
      filter: [
        { field: 'body.status', anyOf: ['a', 'b'] },
        { field: 'parent', anyOf: [null] },
      ],
    });
  });

  it('legacy filters are bare fields', async () => {
    expect(await seen('GET', `/workspaces/${ID}/jobs?limit=3&cargo.quantity=5&status=null`)).toEqual({
      workspace: ID,
      first: 3,
      filter: [
        { field: 'cargo.quantity', anyOf: ['5'] },
        { field: 'status', anyOf: [null] },
      ],
    });
  });

  it('a missing required one is refused', async () => {
    expect(await faults(`/v2/workspaces/${ID}/documents`)).toEqual(['type']);
  });

  it('a field refused by the domain is named as sent', async () => {
    const refuse = (parameter: string) => () =>
      Promise.reject(invalidInput([{ parameter, message: 'is not a field.' }]));
    await using service = await fakeService({ workspaces: refuse('body.x'), jobs: refuse('x') });
    const v2 = (await (await service.ask('GET', '/v2/workspaces?filter[body.x]=1')).json()) as {
      errors: unknown;
      detail: string;
    };
    expect(v2.errors).toEqual([{ parameter: 'filter[body.x]', message: 'is not a field.' }]);
    expect(v2.detail).toBe('Parameter filter[body.x]: is not a field.');
    const legacy = (await (await service.ask('GET', `/workspaces/${ID}/jobs?limit=1&x=1`)).json()) as {
      errors: unknown;
    };
    expect(legacy.errors).toEqual([{ parameter: 'x', message: 'is not a field.' }]);
  });
});

describe('bodies', () => {
  it('v2 creation takes the bare body or the member body', async () => {
    const whole = { name: 'A', body: 'an unknown member' };
    expect(await seen('POST', '/v2/organizations', { json: whole })).toEqual({ body: whole });
    expect(await seen('POST', '/v2/organizations', { json: { body: { name: 'A' } } })).toEqual({ body: { name: 'A' } });
  });

  it('v2 PATCH requires the member body', async () => {
    expect(await seen('PATCH', `/v2/workspaces/${ID}`, { json: { description: 'x' } })).toMatchObject({
      status: 400,
      errors: [{ path: '/body', message: 'is missing.' }],
    });
  });

  it('previous_version_id is passed as sent, null as null, and omitted when absent', async () => {
    const path = `/v2/workspaces/${ID}`;
    const patch = {};
    const base = { id: ID, patch };
    expect(await seen('PATCH', path, { json: { body: patch } })).toEqual(base);
    expect(await seen('PATCH', path, { json: { body: patch, previous_version_id: null } })).toEqual({
      ...base,
      previousVersion: null,
    });
    expect(await seen('PATCH', path, { json: { body: patch, previous_version_id: VERSION } })).toEqual({
      ...base,
      previousVersion: VERSION,
    });
    expect(await seen('PATCH', path, { json: { body: patch, previous_version_id: 'x' } })).toMatchObject({
      errors: [{ path: '/previous_version_id', message: 'must be a UUID or null.' }],
    });
  });

  it('a legacy patch is the request body', async () => {
    expect(await seen('PATCH', `/workspaces/${ID}/jobs/${ID}`, { json: { status: null } })).toEqual({
      workspace: ID,
      id: ID,
      patch: { status: null },
    });
  });
});

describe('If-Match', () => {
  it.each([
    [undefined, undefined],
    ['*', ['*']],
    [`"${VERSION}"`, [VERSION]],
    [`"a", W/"b", c`, ['a', 'c']],
    ['W/"a"', []],
  ])('%s', async (header, expectedVersion) => {
    const headers = header === undefined ? {} : { 'if-match': header };
    expect((await seen('DELETE', `/v2/workspaces/${ID}`, { headers })).expectedVersion).toEqual(expectedVersion);
  });
});
