import { beforeAll, describe, expect, it } from 'vitest';
import { type Ask, makeWorkspace, serviceFixture, workspaceFixture } from '../../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
let base: string;

beforeAll(async () => {
  base = `/v2/workspaces/${workspace.id}/xrefs`;
});

const as = 'vendor';
const post = (xtype: string, body: unknown, who: Ask['as'] = as) =>
  service.ask('POST', `${base}/${xtype}`, { as: who, body });
const patch = (path: string, body: unknown, more: object = {}) =>
  service.ask('PATCH', `${base}/${path}`, { as, body: { body, ...more } });
const get = (path: string) => service.ask('GET', `${base}/${path}`, { as });
const paths = (body: { errors?: { path?: string }[] }) => body.errors?.map(({ path }) => path);
const jobWith = (body: object) => service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as, body });

describe('an external reference', () => {
  it('is created from the body alone, or from the member body', async () => {
    const alone = await post('locations', { name: 'Ellery', xref: 'E-1', lat: 51.9 });
    const member = await post('locations', { body: { name: 'Harwick' } });
    expect([alone.status, member.status]).toEqual([201, 201]);
    expect(alone.body).toMatchObject({
      type: 'svc.bridge.externalReference',
      parent_id: null,
      meta: { workspace: workspace.id },
      body: {
        workspace: workspace.id,
        xtype: 'locations',
        ownerParty: workspace.vendor,
        name: 'Ellery',
        xref: 'E-1',
        lat: 51.9,
      },
    });
    expect((await get(`locations/${alone.body.id}`)).body).toEqual(alone.body);
    expect(alone.headers.get('location')).toBe(`${base}/locations/${alone.body.id}`);
  });

  it('is listed with its catalog, filtered and sorted', async () => {
    for (const name of ['B', 'C', 'A']) await post('listed', { name, xref: `L-${name}` });
    await post('listed', { name: 'Theirs' }, 'client');
    const { body } = await get(`listed?sort=name&filter[ownerParty]=${workspace.vendor}`);
    expect(body.map((each: { body: { name: string } }) => each.body.name)).toEqual(['A', 'B', 'C']);
    expect((await get('listed?filter[body.xref]=L-B&limit=1')).body).toHaveLength(1);
    expect((await get('listed?limit=2&offset=3')).body).toHaveLength(1);
    expect((await get('empty')).body).toEqual([]);
  });

  it('may be in any catalog named with letters, digits, _, - and .', async () => {
    const { body } = await post('my-catalog_2.x', { name: 'Own' });
    expect((await get(`my-catalog_2.x/${body.id}`)).status).toBe(200);
    for (const xtype of ['a b', 'ä', '$where', 'a*b']) {
      expect((await post(encodeURIComponent(xtype), { name: 'No' })).status).toBe(404);
      expect((await get(encodeURIComponent(xtype))).status).toBe(404);
    }
  });

  it('is stored in the catalog that an alias stands for', async () => {
    const made = await post('methods', { name: 'ASTM D86', xtype: 'methods' });
    expect(made.body.body.xtype).toBe('testMethods');
    expect((await get(`testMethods/${made.body.id}`)).status).toBe(200);
    expect((await get(`methods/${made.body.id}`)).status).toBe(200);
    const event = await post('timelogEvents', { name: 'All fast', xtype: 'eventTypes' });
    expect(event.body.body.xtype).toBe('eventTypes');
    expect((await get('eventTypes?filter[xtype]=timelogEvents')).body).toHaveLength(1);
  });

  it.each([
    [{}, ['/name']],
    [{ name: '' }, ['/name']],
    [{ name: ' ' }, ['/name']],
    [{ name: 7, xref: 7 }, ['/name', '/xref']],
    [{ name: 'A', xtype: 'products' }, ['/xtype']],
    [{ name: 'A', workspace: '0190a000-0000-7000-8000-000000000000' }, ['/workspace']],
    [{ name: 'A', ownerParty: '0190a000-0000-7000-8000-000000000000' }, ['/ownerParty']],
    [{ name: 'A', $set: 1 }, ['/$set']],
  ])('is refused as %j', async (body, expected) => {
    const answer = await post('locations', body);
    expect([answer.status, paths(answer.body)?.sort()]).toEqual([400, expected]);
    const member = await post('locations', { body });
    expect([member.status, paths(member.body)?.sort()]).toEqual([400, expected.map((path) => `/body${path}`)]);
  });

  it('has an xref unique for its owner in the catalog, on POST and PATCH', async () => {
    const first = await post('unique', { name: 'One', xref: 'U' });
    expect((await post('unique', { name: 'Two', xref: 'U' })).body.code).toBe('XREF_TAKEN');
    expect((await post('other', { name: 'Two', xref: 'U' })).status).toBe(201);
    const theirs = await post('unique', { name: 'Theirs', xref: 'U' }, 'client');
    expect(theirs.status).toBe(201);
    const second = await post('unique', { name: 'Two' });
    const taken = await patch(`unique/${second.body.id}`, { xref: 'U' });
    expect([taken.status, taken.body.code]).toEqual([409, 'XREF_TAKEN']);
    expect((await patch(`unique/${theirs.body.id}`, { ownerParty: workspace.vendor })).body.code).toBe('XREF_TAKEN');
    expect((await patch(`unique/${first.body.id}`, { xref: null })).status).toBe(200);
    expect((await patch(`unique/${second.body.id}`, { xref: 'U' })).status).toBe(200);
    for (let i = 0; i < 2; i++) expect((await post('unique', { name: 'Blank', xref: '' })).status).toBe(201);
  });

  it('is created once by twenty requests with one xref', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('race', { name: 'R', xref: 'R' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  });

  it('is changed only through the member body', async () => {
    const { id, version_id } = (await post('changed', { name: 'Old', note: 'kept' })).body;
    const answer = await patch(`changed/${id}`, { name: 'New' }, { previous_version_id: null });
    expect([answer.status, answer.body.body]).toEqual([200, expect.objectContaining({ name: 'New', note: 'kept' })]);
    const stale = await patch(`changed/${id}`, { name: 'Newer' }, { previous_version_id: version_id });
    expect([stale.status, stale.body.code]).toEqual([409, 'VERSION_CONFLICT']);
    expect((await service.ask('PATCH', `${base}/changed/${id}`, { as, body: { name: 'X' } })).status).toBe(400);
    expect((await patch(`changed/${id}`, { name: null })).status).toBe(400);
    expect(paths((await patch(`changed/${id}`, { name: 7 }, { previous_version_id: version_id })).body)).toEqual([
      '/body/name',
    ]);
  });

  it('stays in its workspace, and moves between the two parties', async () => {
    const other = await makeWorkspace(service);
    const { id } = (await post('moved', { name: 'M' })).body;
    const away = await patch(`moved/${id}`, { workspace: other.id });
    expect([away.status, paths(away.body)]).toEqual([400, ['/body/workspace']]);
    expect((await patch(`moved/${id}`, { workspace: workspace.id.toUpperCase() })).body.body.workspace).toBe(
      workspace.id,
    );
    const given = await patch(`moved/${id}`, { ownerParty: workspace.client.toUpperCase() });
    expect([given.status, given.body.body.ownerParty]).toEqual([200, workspace.client]);
    const foreign = await patch(`moved/${id}`, { ownerParty: other.client });
    expect([foreign.status, paths(foreign.body)]).toEqual([400, ['/body/ownerParty']]);
  });

  it('changes its catalog only while nothing refers to it', async () => {
    const free = (await post('products', { name: 'Fuel oil', xref: 'FO' })).body.id;
    const moved = await patch(`products/${free}`, { xtype: 'methods' });
    expect([moved.status, moved.body.body.xtype]).toEqual([200, 'testMethods']);
    expect((await get(`products/${free}`)).status).toBe(404);
    expect((await get(`testMethods/${free}`)).status).toBe(200);

    const used = (await post('products', { name: 'Gasoil' })).body.id;
    await jobWith({ cargo: { product: used } });
    const held = await patch(`products/${used}`, { xtype: 'tests' });
    expect([held.status, held.body.code, held.body.detail]).toEqual([
      409,
      'IN_USE',
      expect.stringContaining('1 document'),
    ]);
    expect((await patch(`products/${used}`, { name: 'Gas oil' })).status).toBe(200);
    expect((await patch(`products/${used}`, { xtype: 'a b' })).status).toBe(400);

    const linked = (await post('products', { name: 'Diesel' })).body.id;
    await service.ask('POST', `${base}/products/${linked}/synonyms/${used}`, { as });
    expect((await patch(`products/${linked}`, { xtype: 'tests' })).body.code).toBe('IN_USE');
  });

  it('made by a reference can move to a catalog where the same name was made too', async () => {
    const job = (await jobWith({ cargo: { product: { name: 'Twin' } }, location: { name: 'Twin' } })).body;
    await service.ask('DELETE', `/workspaces/${workspace.id}/jobs/${job.id}`, { as });
    const moved = await patch(`products/${job.body.cargo.product}`, { xtype: 'locations' });
    expect(moved.status).toBe(200);
  });

  it('is deleted only when unreferenced, even if a job or a change starts to refer to it at that moment', async () => {
    const { body } = await post('locations', { name: 'Gone' });
    const removed = await service.ask('DELETE', `${base}/locations/${body.id}`, { as });
    expect([removed.status, removed.body]).toEqual([200, body]);
    expect((await get(`locations/${body.id}`)).status).toBe(404);
    for (let round = 0; round < 15; round++) {
      const { id } = (await post('locations', { name: `Contested ${round}` })).body;
      const job = (await jobWith({})).body.id;
      const [changed, gone] = await Promise.all([
        service.ask('PATCH', `/workspaces/${workspace.id}/jobs/${job}`, { as, body: { location: id } }),
        service.ask('DELETE', `${base}/locations/${id}`, { as }),
      ]);
      expect([
        [200, 409],
        [400, 200],
        [409, 200],
      ]).toContainEqual([changed.status, gone.status]);
      const refers = await service.stores.db.collection('documents').countDocuments({ refs: id });
      expect(refers).toBe(gone.status === 200 ? 0 : 1);
    }
  });

  it('of another catalog or workspace is not found', async () => {
    const other = await makeWorkspace(service);
    const { id } = (await post('locations', { name: 'Here' })).body;
    for (const path of [
      `${base}/products/${id}`,
      `/v2/workspaces/${other.id}/xrefs/locations/${id}`,
      `${base}/locations/x`,
    ]) {
      for (const method of ['GET', 'DELETE']) expect((await service.ask(method, path, { as })).status).toBe(404);
      expect((await service.ask('PATCH', path, { as, body: { body: { name: 'N' } } })).status).toBe(404);
    }
  });
});
