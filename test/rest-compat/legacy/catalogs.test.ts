import { beforeAll, describe, expect, it } from 'vitest';
import { CATALOGS } from '../../../src/model/catalogs.ts';
import { type Caller, makeWorkspace, serviceFixture, workspaceFixture } from '../../service.ts';

const UNKNOWN = '0190a000-0000-7000-8000-000000000000';
const ALIASES = [
  ['methods', 'testMethods'],
  ['timelogEvents', 'eventTypes'],
] as const;

const service = serviceFixture();
const workspace = workspaceFixture(service);
let base: string;

beforeAll(async () => {
  base = `/workspaces/${workspace.id}/catalogs`;
});

const ask = (method: string, path: string, body?: unknown, as: Caller = 'vendor') =>
  service.ask(method, base + path, { as, ...(body !== undefined && { body }) });
const make = async (catalog: string, body: object, as?: Caller) =>
  (await ask('POST', `/${catalog}`, body, as)).body.id as string;
const v2 = async (path: string) =>
  (await service.ask('GET', `/v2${base}${path}`.replace('catalogs', 'xrefs'), { as: 'client' })).body;

describe.each(CATALOGS)('/workspaces/{workspace_id}/catalogs/%s', (catalog) => {
  it('creates, returns, lists, changes and deletes, each in its own form', async () => {
    const sent = { name: `One of ${catalog}`, xref: 'X-1' };
    const made = await ask('POST', `/${catalog}`, sent);
    expect([made.status, made.body]).toEqual([201, { id: made.body.id, body: sent }]);
    const path = `/${catalog}/${made.body.id}`;
    expect(made.headers.get('location')).toBe(base + path);
    const got = await ask('GET', path, undefined, 'client');
    expect([got.status, got.body, got.headers.get('etag')]).toEqual([200, sent, made.headers.get('etag')]);
    expect((await ask('GET', `/${catalog}`)).body).toEqual([{ id: made.body.id, body: sent }]);
    expect(await v2(path)).toMatchObject({
      type: 'svc.bridge.externalReference',
      body: { ...sent, workspace: workspace.id, xtype: catalog, ownerParty: workspace.vendor },
    });

    const changed = await ask('PATCH', path, { name: 'Renamed', xref: null }, 'client');
    expect([changed.status, changed.body]).toEqual([200, { name: 'Renamed' }]);
    expect((await ask('DELETE', path)).body).toEqual({ name: 'Renamed' });
    expect((await ask('GET', path)).status).toBe(404);
    expect((await ask('GET', `/${catalog}`)).body).toEqual([]);
  });
});

describe('a catalog record', () => {
  it.each(ALIASES)('of %s is one of %s', async (alias, catalog) => {
    const id = await make(alias, { name: `By ${alias}` });
    expect((await ask('GET', `/${catalog}/${id}`)).body).toEqual({ name: `By ${alias}` });
    expect((await ask('GET', `/${alias}`)).body).toEqual((await ask('GET', `/${catalog}`)).body);
  });

  it('is looked up only in the ten catalogs, even if v2 has another', async () => {
    const other = await service.ask('POST', `/v2/workspaces/${workspace.id}/xrefs/berths`, {
      as: 'vendor',
      body: { name: 'Berth 7' },
    });
    expect(other.status).toBe(201);
    for (const catalog of ['berths', 'Locations', 'svc', '%24where', '__proto__', 'constructor']) {
      for (const [method, path, body] of [
        ['GET', `/${catalog}`],
        ['POST', `/${catalog}`, { name: 'x' }],
        ['GET', `/${catalog}/${other.body.id}`],
        ['PATCH', `/${catalog}/${other.body.id}`, { name: 'x' }],
        ['DELETE', `/${catalog}/${other.body.id}`],
        ['GET', `/${catalog}/${other.body.id}/synonyms`],
        ['POST', `/${catalog}/${other.body.id}/synonyms/${UNKNOWN}`],
      ] as const) {
        const answer = await ask(method, path, body);
        expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 404, 'NOT_FOUND']);
      }
    }
  });

  it('is found only in its own catalog and workspace', async () => {
    const id = await make('products', { name: 'Jet A-1' });
    const elsewhere = await makeWorkspace(service);
    const paths = [`${base}/locations/${id}`, `/workspaces/${elsewhere.id}/catalogs/products/${id}`];
    for (const path of paths) {
      for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const) {
        const answer = await service.ask(method, path, { as: 'vendor', body });
        expect([method, path, answer.status]).toEqual([method, path, 404]);
      }
    }
  });

  it('keeps further members a party sends with the item', async () => {
    const sent = { name: 'MV Kept', xref: 'K', imo: '9074729', flag: { code: 'NL', since: null } };
    const id = await make('transports', sent);
    expect((await ask('GET', `/transports/${id}`)).body).toEqual(sent);
    expect((await ask('PATCH', `/transports/${id}`, { xref: 'L' })).body).toEqual({ ...sent, xref: 'L' });
    expect((await v2(`/transports/${id}`)).body).toMatchObject({ ...sent, xref: 'L' });
  });

  it('is selected by exact name and xref', async () => {
    const a = await make('vendors', { name: 'Alpha & Co', xref: 'A' });
    const b = await make('vendors', { name: 'alpha & co', xref: 'B' });
    const c = await make('vendors', { name: 'Alpha & Co' });
    const ids = async (query: string) =>
      (await ask('GET', `/vendors?sort=id&${query}`)).body.map((row: { id: string }) => row.id);
    expect(await ids('name=Alpha%20%26%20Co')).toEqual([a, c].sort());
    expect(await ids('xref=B')).toEqual([b]);
    expect(await ids('xref=null')).toEqual([c]);
    expect(await ids('name=Alpha+%26+Co&xref=A&xref=B')).toEqual([a]);
    expect(await ids('name=')).toEqual([]);
    expect(await ids('limit=1&offset=1')).toEqual([[a, b, c].sort()[1]]);
    expect(await ids(`ownerParty=${workspace.vendor}`)).toHaveLength(3);
    const refused = await ask('GET', '/vendors?imo=1');
    expect([refused.status, refused.body.errors[0].parameter]).toEqual([400, 'imo']);
  });

  it('needs a name, and an xref not yet used by its owner', async () => {
    for (const body of [{}, { name: '' }, { name: ' ' }, { name: null }, { name: 7 }, { xref: 'X' }]) {
      const answer = await ask('POST', '/uom', body);
      expect([answer.status, answer.body.errors?.[0].path]).toEqual([400, '/name']);
    }
    const id = await make('uom', { name: 'bbl', xref: 'BBL' });
    const taken = await ask('POST', '/uom', { name: 'barrel', xref: 'BBL' });
    expect([taken.status, taken.body.code]).toEqual([409, 'XREF_TAKEN']);
    expect((await ask('POST', '/uom', { name: 'barrel', xref: 'BBL' }, 'client')).status).toBe(201);
    expect((await ask('PATCH', `/uom/${id}`, { name: null })).body.errors[0].path).toBe('/name');
    const moved = await ask('PATCH', `/uom/${id}`, { workspace: UNKNOWN });
    expect([moved.status, moved.body.errors[0].path]).toEqual([400, '/workspace']);
  });

  it('is not deleted while a document refers to it', async () => {
    const id = await make('locations', { name: 'Kept port' });
    const job = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: { location: id } });
    const refused = await ask('DELETE', `/locations/${id}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'IN_USE']);
    await service.ask('DELETE', `/workspaces/${workspace.id}/jobs/${job.body.id}`, { as: 'client' });
    expect((await ask('DELETE', `/locations/${id}`)).status).toBe(200);
  });

  it('is created by a result that catalogReferences it', async () => {
    const job = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: {} });
    const event = await service.ask('POST', `/workspaces/${workspace.id}/jobs/${job.body.id}/timelog`, {
      as: 'vendor',
      body: { type: { name: 'All fast', xref: 'AF' } },
    });
    expect((await ask('GET', '/timelogEvents?xref=AF')).body).toEqual([
      { id: event.body.body.type, body: { name: 'All fast', xref: 'AF' } },
    ]);
  });
});

describe('synonyms of a catalog record', () => {
  it('are linked, listed as ids, returned as records and unlinked, from either side', async () => {
    const ids = [await make('locations', { name: 'Rotterdam' }), await make('locations', { name: 'NLRTM', xref: 'N' })];
    const [a = '', b = ''] = ids;
    const made = await ask('POST', `/locations/${a}/synonyms/${b}`);
    const { id } = made.body;
    expect([made.status, made.body]).toEqual([
      201,
      { id, body: { workspace: workspace.id, baseItem: a, linkedItem: b } },
    ]);
    expect(made.headers.get('location')).toBe(`${base}/locations/${a}/synonyms/${b}`);
    const again = await ask('POST', `/locations/${b}/synonyms/${a}`, undefined, 'client');
    expect([again.status, again.body]).toEqual([200, made.body]);

    expect((await ask('GET', `/locations/${a}/synonyms`)).body).toEqual([b]);
    expect((await ask('GET', `/locations/${b}/synonyms`, undefined, 'client')).body).toEqual([a]);
    const [first, second] = [
      await ask('GET', `/locations/${a}/synonyms/${b}`),
      await ask('GET', `/locations/${b}/synonyms/${a}`),
    ];
    expect([first.body, second.body]).toEqual([{ name: 'NLRTM', xref: 'N' }, { name: 'Rotterdam' }]);
    expect(first.headers.get('etag')).toBe((await ask('GET', `/locations/${b}`)).headers.get('etag'));
    expect((await v2(`/locations/${a}/synonyms`)).map((link: { id: string }) => link.id)).toEqual([id]);

    const removed = await ask('DELETE', `/locations/${b}/synonyms/${a}`);
    expect([removed.status, removed.body]).toEqual([200, { name: 'Rotterdam' }]);
    for (const [one, two] of [ids, ids.toReversed()]) {
      expect((await ask('GET', `/locations/${one}/synonyms`)).body).toEqual([]);
      expect((await ask('GET', `/locations/${one}/synonyms/${two}`)).status).toBe(404);
      expect((await ask('DELETE', `/locations/${one}/synonyms/${two}`)).status).toBe(404);
      expect((await ask('GET', `/locations/${one}`)).status).toBe(200);
    }
  });

  it('are paged, newest link first', async () => {
    const record = await make('tests', { name: 'Sulfur' });
    const linked: string[] = [];
    for (let i = 0; i < 5; i++) {
      const other = await make('tests', { name: `Sulphur ${i}` });
      const pair = i % 2 ? [record, other] : [other, record];
      await ask('POST', `/tests/${pair[0]}/synonyms/${pair[1]}`);
      linked.unshift(other);
    }
    const listed = async (query: string) => (await ask('GET', `/tests/${record}/synonyms${query}`)).body;
    expect((await listed('')).toSorted()).toEqual(linked.toSorted());
    expect((await listed('?sort=created_at:asc,id:asc')).toSorted()).toEqual(linked.toSorted());
    expect(await listed('?sort=id:asc&limit=2&offset=1')).toEqual((await listed('?sort=id:asc')).slice(1, 3));
    expect(await listed(`?baseItem=${record}`)).toHaveLength(2);
    expect((await ask('GET', `/tests/${record}/synonyms?name=x`)).status).toBe(400);
  });

  it('are refused for another catalog, nothing and the record itself', async () => {
    const a = await make('clients', { name: 'A' });
    const other = await make('vendors', { name: 'A' });
    expect((await ask('POST', `/clients/${a}/synonyms/${other}`)).status).toBe(404);
    expect((await ask('POST', `/clients/${a}/synonyms/${UNKNOWN}`)).status).toBe(404);
    const self = await ask('POST', `/clients/${a}/synonyms/${a}`);
    expect([self.status, self.body.errors[0].parameter]).toEqual([400, 'synonymRecordId']);
    expect((await ask('GET', `/clients/${UNKNOWN}/synonyms`)).status).toBe(404);
    expect((await ask('GET', `/vendors/${a}/synonyms`)).status).toBe(404);
  });

  it('are unlinked with the ETag of the link or of the record', async () => {
    const [a, b] = [await make('uom', { name: 'MT' }), await make('uom', { name: 'tonne' })];
    const path = `/uom/${a}/synonyms/${b}`;
    const linkTag = (await ask('POST', path)).headers.get('etag') ?? '';
    const recordTag = (await ask('GET', path)).headers.get('etag') ?? '';
    const unlink = async (etag: string) =>
      (await service.ask('DELETE', base + path, { as: 'vendor', headers: { 'If-Match': etag } })).status;
    expect(await unlink('"other"')).toBe(412);
    expect(await unlink(recordTag)).toBe(200);
    expect(await unlink(linkTag)).toBe(404);
    const newTag = (await ask('POST', path)).headers.get('etag') ?? '';
    expect([await unlink(linkTag), await unlink(newTag)]).toEqual([412, 200]);
  });
});
