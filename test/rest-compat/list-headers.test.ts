import { v7 as newId } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';

const JOBS = 7;
const service = serviceFixture({ env: { BASE_URL: 'https://api.example.com/gw' } });
const workspace = workspaceFixture(service);
const ids: string[] = [];

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.ask(method, path, { as: 'client', headers });
const COUNT = { prefer: 'count=exact' };

beforeAll(async () => {
  for (let n = 0; n < JOBS; n++) {
    const made = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, {
      as: 'client',
      body: { notes: `n${n % 2}` },
    });
    ids.unshift(made.body.id);
  }
});

/** The target of the Link header, without the path of BASE_URL. */
const nextOf = (answer: { readonly headers: Headers }): string | undefined =>
  /^<\/gw(\/[^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];

/** Every page of a list, following its links. */
async function pagesOf(path: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer = await get(next);
    expect(answer.status).toBe(200);
    pages.push(answer.body.map(({ id }: { id: string }) => id));
    next = nextOf(answer);
  }
  return pages;
}

const LISTS: Readonly<Record<string, () => string>> = {
  'Data API': () => '/bridge/v1/data/jobs?sort=created_at:desc',
  'Workspace API': () => `/workspaces/${workspace.id}/jobs?sort=created_at:desc`,
  v2: () => `/v2/workspaces/${workspace.id}/documents?type=svc.inspection.job&filter[meta.workspace]=${workspace.id}`,
};

describe.each(Object.entries(LISTS))('a list of the %s', (_, path) => {
  it('links from page to page to the end', async () => {
    expect(await pagesOf(`${path()}&limit=3`)).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
    expect(await pagesOf(`${path()}&limit=7`)).toEqual([ids]);
    expect(await pagesOf(`${path()}&limit=3&offset=2`)).toEqual([ids.slice(2, 5), ids.slice(5)]);
    expect(await pagesOf(`${path()}&limit=2147483647`)).toEqual([ids]);
  });

  it('continues after the last item read, whatever was added before it', async () => {
    const first = await get(`${path()}&limit=3`);
    const made = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: {} });
    const second = await get(nextOf(first) ?? '');
    await service.ask('DELETE', `/workspaces/${workspace.id}/jobs/${made.body.id}`, { as: 'client' });
    expect(second.body.map(({ id }: { id: string }) => id)).toEqual(ids.slice(3, 6));
  });

  it('reports its length on request', async () => {
    for (const limit of ['limit=1', 'limit=', 'limit=5000', 'limit=2&offset=6', 'limit=2&offset=100']) {
      for (const method of ['GET', 'HEAD']) {
        const { headers } = await get(`${path()}&${limit}`, COUNT, method);
        expect([limit, headers.get('x-total-count'), headers.get('preference-applied')]).toEqual([
          limit,
          String(JOBS),
          'count=exact',
        ]);
      }
    }
    const prefer = 'respond-async, count="exact"; foo';
    expect((await get(`${path()}&limit=1`, { prefer })).headers.get('x-total-count')).toBe(String(JOBS));
    for (const other of ['count=estimated', 'discount=exact', '']) {
      expect((await get(`${path()}&limit=1`, { prefer: other })).headers.has('x-total-count')).toBe(false);
    }
    expect((await get(`${path()}&limit=1`)).headers.has('x-total-count')).toBe(false);
  });

  it('refuses a cursor that is forged or of another order', async () => {
    const cursor = new URLSearchParams(nextOf(await get(`${path()}&limit=3`))?.split('?')[1]).get('cursor');
    const unsorted = path().replace(/sort=[^&]*/, '');
    const refused = [`${path()}&cursor=x`, `${path()}&cursor=`, `${unsorted}&sort=notes&cursor=${cursor}`];
    for (const one of refused) {
      const answer = await get(one);
      expect([answer.status, answer.body.errors[0].parameter]).toEqual([400, 'cursor']);
    }
  });
});

it('a list longer than a GraphQL page continues from its limit', async () => {
  const bodies = Array.from({ length: 1_203 }, () => ({ notes: 'many' }));
  const bulk = `/v2/workspaces/${workspace.id}/documents/bulk`;
  const made = await service.ask('POST', bulk, { as: 'client', body: { type: 'svc.inspection.job', body: bodies } });
  expect(made.status).toBe(201);
  const path = `/workspaces/${workspace.id}/jobs?notes=many`;
  const sizes = async (limit: number) => (await pagesOf(`${path}&limit=${limit}`)).map(({ length }) => length);
  expect(await sizes(1_100)).toEqual([1_100, 103]);
  expect(await sizes(1_203)).toEqual([1_203]);
  const first = await get(`${path}&limit=1100`);
  expect(nextOf(await get(`${path}&limit=1100`, {}, 'HEAD'))).toBe(nextOf(first));
  await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: { notes: 'many' } });
  expect((await get(nextOf(first) ?? '')).body).toHaveLength(103);
  expect((await get(`${path}&limit=1100`, COUNT)).headers.get('x-total-count')).toBe('1204');
});

it.each([
  '/v2/organizations',
  '/v2/workspaces',
  '/v2/schemas',
  '/workspaces',
  '/workspaces/W/catalogs/products',
  '/v2/workspaces/W/xrefs/products',
  '/v2/workspaces/W/xrefs/products/R/synonyms',
  '/workspaces/W/catalogs/products/R/synonyms',
])('counts what %s lists', async (path) => {
  const catalog = `/workspaces/${workspace.id}/catalogs/products`;
  const record = await service.ask('POST', catalog, { as: 'client', body: { name: newId() } });
  const at = path.replace('W', workspace.id).replace('R', record.body.id);
  const { body } = await get(`${at}${at.includes('schemas') ? '' : '?limit=2147483647'}`);
  expect((await get(at, COUNT)).headers.get('x-total-count')).toBe(String(body.length));
});

it('webhook deliveries link from page to page, with a total over all pages', async () => {
  const admin = (method: string, path: string, more: { body?: object; headers?: Record<string, string> } = {}) =>
    service.ask(method, path, { as: 'admin', ...more });
  const { id } = (await admin('POST', '/v2/webhooks', { body: { url: 'http://127.0.0.1:1/' } })).body;
  const path = `/v2/webhooks/${id}`;
  for (let count = 0; count < 5; count++) expect((await admin('POST', `${path}/ping`)).status).toBe(202);
  const all = (await admin('GET', `${path}/deliveries`)).body.map((delivery: { id: string }) => delivery.id);
  expect(all.length).toBe(5);
  const got: string[][] = [];
  for (let next: string | undefined = `${path}/deliveries?status=pending&limit=2`; next !== undefined; ) {
    const answer = await admin('GET', next, { headers: COUNT });
    expect(answer.headers.get('x-total-count')).toBe('5');
    expect(answer.headers.get('preference-applied')).toBe('count=exact');
    got.push(answer.body.map((delivery: { id: string }) => delivery.id));
    next = nextOf(answer);
    if (next) expect(next).toMatch(/\?status=pending&limit=2&after=/);
  }
  expect(got).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
  const failed = await admin('GET', `${path}/deliveries?status=failed&limit=2`, { headers: COUNT });
  expect([failed.headers.get('x-total-count'), failed.headers.get('link')]).toEqual(['0', null]);
  expect((await admin('GET', `${path}/deliveries?limit=5`)).headers.get('x-total-count')).toBeNull();
});
