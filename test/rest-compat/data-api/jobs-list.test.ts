import { v7 as newId } from 'uuid';
import { describe, expect, it } from 'vitest';
import { hashSecret } from '../../../src/auth/credential-cache.ts';
import { newKey } from '../../../src/auth/keys.ts';
import type { Scope } from '../../../src/auth/viewer.ts';
import {
  type Caller,
  makeWorkspace,
  serviceFixture,
  startTestService,
  type TestService,
  workspaceFixture,
} from '../../service.ts';
import { type Body, shapeB, submitted } from './bodies.ts';

const PATH = '/bridge/v1/data/jobs';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const listed = async (as: Caller, query = '') => (await service.ask('GET', `${PATH}${query}`, { as })).body as Body[];

describe('the paths of its own shapes', () => {
  it('sort by quantity and by record ids', async () => {
    const post = async (value: number, uom: string) => {
      const cargo = { quantity: { value, uom: { name: uom } } };
      const parties = { client: { name: workspace.names.client }, vendor: { name: workspace.names.vendor } };
      const { body } = await service.ask('POST', PATH, { as: 'client', body: { cargo, ...parties } });
      return body.id as string;
    };
    const [five = '', ten = '', one = ''] = [await post(5, 'MT'), await post(10, 'bbl'), await post(1, 'MT')];
    const made = [five, ten, one];
    const ids = async (query: string) =>
      (await listed('client', `?${query}`)).map(({ id }) => id as string).filter((id) => made.includes(id));
    expect(await ids('sort=body.cargo.quantity.value')).toEqual([one, five, ten]);
    expect(await ids('sort=cargo.quantity.value:desc')).toEqual([ten, five, one]);
    const byUnit = await ids('sort=client.id,body.cargo.quantity.uom.id,cargo.quantity.value');
    expect([
      [one, five, ten],
      [ten, one, five],
    ]).toContainEqual(byUnit);
    const other = await service.ask('GET', `${PATH}?sort=cargo.quantity.nonsense`, { as: 'client' });
    expect(other.status).toBe(400);
  });
});

/** The submit form: Shape A without `retain`. */
describe('bridge.jobs.list — GET /bridge/v1/data/jobs', () => {
  it('shows jobs of every family and workspace, with legacy and v2 ones in Shape B', async () => {
    await using other = await startTestService();
    const places = [await makeWorkspace(other), await makeWorkspace(other)];
    const body = {
      xref: 'X-1',
      location: { xref: 'L-1', name: 'Port' },
      transports: [{ name: 'MV One' }],
      cargo: { product: { name: 'Gas Oil' }, quantity: 5, uom: { name: 'MT' } },
      client: { name: 'Owner' },
    };
    for (const { id } of places) await other.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body });
    await other.ask('POST', PATH, { as: 'client', body: { notes: 'in none' } });
    const answer = await other.ask('GET', PATH, { as: 'client' });
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const shown = {
      xref: 'X-1',
      location: { id, xref: 'L-1', name: 'Port' },
      transports: [{ id, name: 'MV One' }],
      cargo: { product: { id, name: 'Gas Oil' }, quantity: { value: 5, uom: { id, name: 'MT' } } },
      client: { id, name: 'Owner' },
    };
    expect(answer.body.map((job: Body) => [job.type, job.meta, job.body])).toEqual([
      ['svc.nim.job', {}, { notes: 'in none' }],
      ['svc.nim.job', { workspace: places[1]?.id }, shown],
      ['svc.nim.job', { workspace: places[0]?.id }, shown],
    ]);
    expect((await other.ask('GET', PATH, { as: 'vendor' })).body).toHaveLength(2);
  });

  it('supports limit, offset and sort by body and envelope fields, for both shapes', async () => {
    await using other = await startTestService();
    const made: string[] = [];
    for (const [index, region] of ['C', 'A', 'B'].entries()) {
      const sent = { ...shapeB({ ...workspace }), region, cargo: { quantity: { value: index } } };
      made.push((await other.ask('POST', PATH, { as: 'client', body: sent })).body.id);
    }
    const ids = async (query: string) =>
      (await other.ask('GET', `${PATH}?${query}`, { as: 'client' })).body.map((job: { id: string }) =>
        made.indexOf(job.id),
      );
    expect(await ids('sort=body.region:desc')).toEqual([0, 2, 1]);
    expect(await ids('sort=region')).toEqual([1, 2, 0]);
    expect(await ids('sort=body.cargo.quantity.value:desc,id:asc')).toEqual([2, 1, 0]);
    expect(await ids('sort=created_at:asc')).toEqual([0, 1, 2]);
    expect(await ids('')).toEqual([2, 1, 0]);
    expect(await ids('sort=body.sampleDate:asc&limit=2')).toEqual([0, 1]);
    expect(await ids('limit=1&offset=1')).toEqual([1]);
    expect(await ids('limit=null')).toEqual([2, 1, 0]);
    expect(await ids('limit=null&offset=0&sort=null')).toEqual([2, 1, 0]);
    expect(await ids('limit=&offset=1')).toEqual([1, 0]);
  });

  it('sorts sample dates as instants', async () => {
    await using other = await startTestService();
    const dates = ['2026-05-01T06:00:00+09:00', '2026-04-30', '2026-05-01T00:00:00Z'];
    const made: string[] = [];
    for (const sampleDate of dates) {
      const body = { ...submitted(workspace), sampleDate };
      made.push((await other.ask('PUT', PATH, { as: 'client', body })).body.id);
    }
    const { body } = await other.ask('GET', `${PATH}?sort=body.sampleDate:asc`, { as: 'client' });
    expect(body.map((job: { id: string }) => made.indexOf(job.id))).toEqual([1, 0, 2]);
  });

  it('refuses unknown parameters, filters, fields and versions', async () => {
    for (const query of [
      'colour=red',
      'status=active',
      'filter[body.status]=active',
      'limit=0',
      'limit=1.5',
      'limit=2147483648',
      'limit=1&limit=2',
      'offset=-1',
      'sort=body.nothing:asc',
      'sort=body.status:up',
      'sort=body.location.flag:asc',
      'sort=body.transports.name:asc',
      'sort=body.cargoes.number:asc',
    ]) {
      const answer = await service.ask('GET', `${PATH}?${query}`, { as: 'client' });
      expect([query, answer.status, answer.body.code, answer.body.errors?.length]).toEqual([
        query,
        400,
        'INVALID_INPUT',
        1,
      ]);
    }
    const answer = await service.ask('GET', PATH, { as: 'client', headers: { 'Accept-Version': '2' } });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'UNSUPPORTED_VERSION', errors: [{ parameter: 'Accept-Version' }] },
    });
    expect((await service.ask('GET', PATH)).status).toBe(401);
    expect((await service.ask('PATCH', PATH, { as: 'client', body: {} })).headers.get('allow')).toContain('PUT');
  });

  it('is described in OpenAPI with both shapes and the version', async () => {
    const { paths, components } = (await service.ask('GET', '/openapi.json')).body;
    for (const method of ['get', 'post', 'put']) {
      const { parameters } = paths[PATH][method];
      expect(parameters).toContainEqual(
        expect.objectContaining({ name: 'Accept-Version', in: 'header', schema: { type: 'string', enum: ['1.0'] } }),
      );
    }
    expect(paths['/bridge/v1/health'].get.parameters).toEqual([]);
    const [create, submit, single] = components.schemas.DataApiJobBody.anyOf.map(
      ({ $ref }: { $ref: string }) => components.schemas[$ref.split('/').at(-1) ?? ''],
    );
    expect(create.required).toContain('retain');
    expect(submit).toMatchObject({ required: expect.arrayContaining(['sampleDate']) });
    expect([single.required, Object.keys(single.properties)]).toEqual([
      undefined,
      expect.arrayContaining(['assignees']),
    ]);
  });

  it('reads a page with two commands, whatever its size', async () => {
    for (let i = 0; i < 20; i++) await service.ask('POST', PATH, { as: 'client', body: shapeB(workspace) });
    const { db } = service.stores;
    const commands = async (query: string) => {
      await db.command({ profile: 2 });
      const jobs = await listed('client', query);
      await db.command({ profile: 0 });
      const read = await db.collection('system.profile').countDocuments({ ns: /\.(documents|catalog_records)$/ });
      await db.collection('system.profile').drop();
      return [jobs.length, read];
    };
    expect(await commands('?limit=5')).toEqual([5, 2]);
    expect(await commands('?limit=20')).toEqual([20, 2]);
  });
});

async function keyFor({ stores }: TestService, scopes: readonly Scope[]): Promise<string> {
  const key = newKey();
  const whose = { _id: newId(), tenant: newId(), name: 'own', created_at: new Date() };
  await stores.principals.putKey({ ...whose, kind: 'key', hash: hashSecret(key), scopes });
  return key;
}

describe('a write-only key', () => {
  it('gets the job it created, and may not list any', async () => {
    const headers = { Authorization: `Bearer ${await keyFor(service, ['write'])}` };
    const made = await service.ask('POST', PATH, { body: shapeB(workspace), headers });
    expect([made.status, made.body.body.refNumber]).toEqual([201, 'KST-2042']);
    expect((await service.ask('GET', PATH, { headers })).status).toBe(403);
  });
});

describe('the environments', () => {
  it('in production no demo key works, and lists name svc.inspection.job', async () => {
    await using production = await startTestService({ env: { ENVIRONMENT: 'production' } });
    for (const method of ['GET', 'POST', 'PUT']) {
      const answer = await production.ask(method, PATH, {
        as: 'client',
        ...(method !== 'GET' && { body: shapeB(workspace) }),
      });
      expect([method, answer.status, answer.body.code]).toEqual([method, 401, 'UNAUTHENTICATED']);
    }
    const key = await keyFor(production, ['read', 'write']);
    const headers = { Authorization: `Bearer ${key}` };
    const made = await production.ask('POST', PATH, { body: shapeB(workspace), headers });
    expect([made.status, made.body.type]).toEqual([201, 'svc.inspection.job']);
    const [job] = (await production.ask('GET', PATH, { headers })).body;
    expect(job).toEqual(made.body);
  });
});
