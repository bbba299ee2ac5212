import { v7 as newId } from 'uuid';
import { describe, expect, it } from 'vitest';
import { DEMO_TENANTS } from '../../../src/demo/principals.ts';
import { type Ask, type Caller, serviceFixture } from '../../service.ts';

const NOWHERE = '0190a000-0000-7000-8000-00000000dead';
const service = serviceFixture();

const create = (body: unknown, as: Caller = 'client') => service.ask('POST', '/v2/organizations', { as, body });
const at = (method: string, id: string, options: Ask = {}) =>
  service.ask(method, `/v2/organizations/${id}`, { as: 'client', ...options });
const fresh = async (body: object = {}, as: Caller = 'client') => {
  const answer = await create({ name: `Org ${newId()}`, ...body }, as);
  expect(answer.status).toBe(201);
  return answer.body;
};
const namesOf = (answer: { body: { body: { name: string } }[] }) => answer.body.map(({ body }) => body.name);

describe('an organization', () => {
  it('belongs to the tenant of its creator, whatever the body says about its audience', async () => {
    const { body, status } = await create({
      name: 'Aldermoor',
      category: 'shipper',
      audience: DEMO_TENANTS.vendor,
      extra: { kept: true },
    });
    expect(status).toBe(201);
    expect(body.body).toEqual({
      name: 'Aldermoor',
      category: 'shipper',
      audience: DEMO_TENANTS.client,
      extra: { kept: true },
    });
    expect(body).toMatchObject({ type: 'svc.bridge.organization', parent_id: null });
    expect((await create({ name: 'Any Audience', audience: 'not even a UUID' })).status).toBe(201);
    expect((await create({ name: 'Null Audience', audience: null })).body.body.audience).toBe(DEMO_TENANTS.client);
  });

  it('is accepted alone, or as the member body', async () => {
    const wrapped = await create({ body: { name: 'Wrapped' } });
    expect([wrapped.status, wrapped.body.body.name]).toEqual([201, 'Wrapped']);
    const both = await create({ name: 'Has a body', body: 'a text' });
    expect([both.status, both.body.body.body]).toEqual([201, 'a text']);
  });

  it.each([
    [{}, '/name'],
    [{ name: null }, '/name'],
    [{ name: '' }, '/name'],
    [{ name: ' \t ' }, '/name'],
    [{ name: 7 }, '/name'],
    [{ name: 'Wrong category', category: 'broker' }, '/category'],
    [{ name: 'Bad name inside', $x: 1 }, '/$x'],
  ])('is refused when its body is invalid: %j', async (body, path) => {
    const answer = await create(body);
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_INPUT']);
    expect(new Set(answer.body.errors.map((fault: { path: string }) => fault.path))).toEqual(new Set([path]));
    const wrapped = await create({ body });
    expect(new Set(wrapped.body.errors.map((fault: { path: string }) => fault.path))).toEqual(
      new Set([`/body${path}`]),
    );
  });

  it('has a unique name, ignoring letter case, that is free again after deletion', async () => {
    const first = await fresh({ name: 'Brightwater Ünïted' });
    for (const name of [
      'Brightwater Ünïted',
      'BRIGHTWATER ÜNÏTED',
      ' brightwater ünïted ',
      'Brightwater Ünïted'.normalize('NFD'),
    ]) {
      expect((await create({ name }, 'vendor')).body).toMatchObject({ status: 409, code: 'NAME_TAKEN' });
    }
    const other = await fresh();
    expect((await at('PATCH', other.id, { body: { body: { name: 'brightwater ünïted' } } })).body).toMatchObject({
      status: 409,
      code: 'NAME_TAKEN',
    });
    expect((await at('GET', other.id)).body).toEqual(other);
    expect((await at('PATCH', first.id, { body: { body: { name: 'BRIGHTWATER ünïted' } } })).status).toBe(200);
    expect((await at('DELETE', first.id)).status).toBe(200);
    expect((await create({ name: 'Brightwater Ünïted' }, 'vendor')).status).toBe(201);
  });

  it('is created once when twenty ask for the same name at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        create({ name: i % 2 ? 'Contested' : 'CONTESTED' }, i % 3 ? 'client' : 'vendor'),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  });

  it('is found by everyone who is authenticated, and by nobody else', async () => {
    const organization = await fresh();
    for (const as of ['client', 'vendor', 'stranger', 'reader'] as const) {
      expect((await at('GET', organization.id, { as })).body).toEqual(organization);
    }
    expect((await service.ask('GET', `/v2/organizations/${organization.id}`)).status).toBe(401);
  });

  it('is changed and deleted only by its own tenant', async () => {
    const organization = await fresh();
    for (const as of ['vendor', 'stranger'] as const) {
      expect((await at('PATCH', organization.id, { as, body: { body: { name: 'Stolen' } } })).body).toMatchObject({
        status: 403,
        code: 'FORBIDDEN',
      });
      expect((await at('DELETE', organization.id, { as })).body).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    }
    expect((await at('GET', organization.id)).body).toEqual(organization);
  });

  it('keeps its audience in a PATCH', async () => {
    const organization = await fresh();
    for (const audience of [DEMO_TENANTS.vendor, null, 7]) {
      const same = await at('PATCH', organization.id, { body: { body: { audience } } });
      expect([same.status, same.body]).toEqual([200, organization]);
    }
    const changed = await at('PATCH', organization.id, {
      body: { body: { audience: DEMO_TENANTS.vendor, category: 'inspector' } },
    });
    expect(changed.body.body).toEqual({ ...organization.body, category: 'inspector' });
  });

  it('cannot lose its name in a PATCH', async () => {
    const organization = await fresh();
    for (const name of [null, '', 5]) {
      const refused = await at('PATCH', organization.id, { body: { body: { name } } });
      expect([refused.status, refused.body.errors[0].path]).toEqual([400, '/body/name']);
    }
    expect((await at('GET', organization.id)).body).toEqual(organization);
  });

  it('is not deleted while a workspace names it', async () => {
    const [client, vendor] = [await fresh(), await fresh({}, 'vendor')];
    const { body: workspace } = await service.ask('POST', '/v2/workspaces', {
      as: 'client',
      body: { parties: { client: { id: client.id }, vendor: { id: vendor.id } } },
    });
    for (const [id, as] of [
      [client.id, 'client'],
      [vendor.id, 'vendor'],
    ] as const) {
      expect((await at('DELETE', id, { as })).body).toMatchObject({ status: 409, code: 'IN_USE' });
    }
    expect((await service.ask('DELETE', `/v2/workspaces/${workspace.id}`, { as: 'client' })).status).toBe(200);
    const removed = await at('DELETE', client.id);
    expect([removed.status, removed.body]).toEqual([200, client]);
  });

  it('is never missing from a workspace created during its deletion', async () => {
    for (let round = 0; round < 15; round++) {
      const [client, vendor] = await Promise.all([fresh(), fresh({}, 'vendor')]);
      const [made, removed] = await Promise.all([
        service.ask('POST', '/workspaces', {
          as: 'client',
          body: { parties: { client: { id: client.id }, vendor: { id: vendor.id } } },
        }),
        at('DELETE', vendor.id, { as: 'vendor' }),
      ]);
      expect([made.status, removed.status].join()).toMatch(/^(201,409|400,200)$/);
    }
  });

  it.each(['GET', 'PATCH', 'DELETE'])('that does not exist is 404 in %s', async (method) => {
    const body = method === 'PATCH' ? { body: { body: {} } } : {};
    for (const id of [NOWHERE, 'not-a-uuid', `${NOWHERE}0`]) {
      expect((await at(method, id, body)).body).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    }
  });
});

describe('the list of organizations', () => {
  it('filters by part of the name, ignoring letter case, and by category', async () => {
    await fresh({ name: 'Quillon (North) 100%', category: 'inspector' });
    await fresh({ name: 'quillon.south', category: 'shipper' });
    await fresh({ name: 'Quillon East' });
    const list = (query: string, as: Caller = 'stranger') => service.ask('GET', `/v2/organizations?${query}`, { as });
    expect(namesOf(await list('name=QUILL'))).toEqual(['Quillon East', 'quillon.south', 'Quillon (North) 100%']);
    expect(namesOf(await list(`name=${encodeURIComponent('(north) 100%')}`))).toEqual(['Quillon (North) 100%']);
    expect(namesOf(await list('name=quillon.*'))).toEqual([]);
    expect(namesOf(await list('name=Quillon.s'))).toEqual(['quillon.south']);
    expect(namesOf(await list('name=%24ne'))).toEqual([]);
    expect(namesOf(await list('name=quillon&category=shipper'))).toEqual(['quillon.south']);
    expect(namesOf(await list('name=quillon&category=none'))).toEqual(['Quillon East']);
    expect(namesOf(await list('name=quillon&category=inspector&category=none&sort=name'))).toEqual([
      'Quillon (North) 100%',
      'Quillon East',
    ]);
    expect(namesOf(await list('name=quillon&category=broker'))).toEqual([]);
    expect(namesOf(await list('name=quillon&category='))).toEqual([]);
    expect(namesOf(await list('name='))).toEqual([]);
    expect((await list('nonsense=1')).body).toMatchObject({ status: 400, errors: [{ parameter: 'nonsense' }] });
  });
});
