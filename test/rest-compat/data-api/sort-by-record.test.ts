import { beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspace, serviceFixture, workspaceFixture } from '../../service.ts';
import { shapeA } from './bodies.ts';

const PATH = '/bridge/v1/data/jobs';
const service = serviceFixture();
const workspace = workspaceFixture(service);
const made: string[] = [];

const ask = (method: string, path: string, body?: unknown) =>
  service.ask(method, path, { as: 'client', ...(body !== undefined && { body }) });

/** Jobs by the order of creation. */
const listed = async (query: string, path = PATH) =>
  (await ask('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`)).body.map(({ id }: { id: string }) =>
    made.indexOf(id),
  );

const PORTS = ['Rotterdam', 'Antwerp', 'Hamburg'];

beforeAll(async () => {
  const parties = { client: { name: workspace.names.client }, vendor: { name: workspace.names.vendor } };
  const port = (name: string, more: object) => ({ ...parties, location: { name, ...more } });
  const bodies = [
    port('Rotterdam', { xref: 'P1', country: 'NL' }),
    port('Antwerp', { xref: 'P3', country: 'BE' }),
    port('Hamburg', { xref: 'P2', country: 'DE' }),
    port('Antwerp', { country: 'BE', region: 'ARA' }),
    parties, // without a location
    { location: { name: 'Bergen', xref: 'P0', country: 'NO' } }, // in no workspace
  ];
  for (const body of bodies) made.push((await ask('POST', PATH, body)).body.id);
});

describe("sorting by a catalog record's fields", () => {
  it('puts absent values first, and breaks ties by id, newest or oldest first', async () => {
    expect(await listed('sort=body.location.name:asc')).toEqual([4, 1, 3, 5, 2, 0]);
    expect(await listed('sort=location.name:desc,created_at:desc')).toEqual([0, 2, 5, 3, 1, 4]);
    expect(await listed('sort=location.xref,id:desc')).toEqual([4, 5, 0, 2, 3, 1]);
    expect(await listed('sort=client.name:desc,created_at')).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('uses the members sent with the reference, too', async () => {
    expect(await listed('sort=body.location.country')).toEqual([4, 1, 3, 2, 0, 5]);
    expect(await listed('sort=location.region:desc,location.country:desc,created_at')).toEqual([3, 5, 0, 2, 1, 4]);
    expect((await ask('GET', `${PATH}?sort=location.flag`)).status).toBe(400);
  });

  it.each([
    'location.name',
    'location.name:desc',
    'location.id',
    'location:desc',
    'location.country:desc,location.xref',
  ])('pages without repeating or skipping: %s', async (sort) => {
    const whole = await listed(`sort=${sort}`);
    expect([...whole].sort()).toEqual([0, 1, 2, 3, 4, 5]);
    const paged: number[] = [];
    for (let next: string | undefined = `${PATH}?limit=2&sort=${sort}`; next !== undefined; ) {
      const page = await ask('GET', next);
      expect([page.status, page.body.length]).toEqual([200, 2]);
      paged.push(...page.body.map(({ id }: { id: string }) => made.indexOf(id)));
      next = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(paged).toEqual(whole);
    expect(await listed(`sort=${sort}&offset=4&limit=5`)).toEqual(whole.slice(4));
  });

  it('pages backward and forward in GraphQL', async () => {
    const page = async (window: string) =>
      (
        await service.graphql(`{ jobs(orderBy: [{ field: "location.name", direction: desc }], ${window}) {
          nodes { id } pageInfo { startCursor hasPreviousPage } totalCount } }`)
      ).body.data.jobs;
    const places = ({ nodes }: { nodes: { id: string }[] }) => nodes.map(({ id }) => made.indexOf(id));
    const last = await page('last: 2');
    expect([places(last), last.totalCount]).toEqual([(await listed('sort=location.name:desc')).slice(-2), 6]);
    const before = await page(`last: 3, before: "${last.pageInfo.startCursor}"`);
    expect([places(before), before.pageInfo.hasPreviousPage]).toEqual([
      (await listed('sort=location.name:desc')).slice(1, 4),
      true,
    ]);
  });

  it('works for every document type, in the lists of other APIs', async () => {
    const jobs = [4, 1, 3, 2, 0];
    expect(await listed('sort=location.name', `/workspaces/${workspace.id}/jobs`)).toEqual(jobs);
    const documents = `/v2/workspaces/${workspace.id}/documents?type=svc.inspection.job`;
    expect(await listed('sort=body.location.name:asc', documents)).toEqual(jobs);
    expect(await listed(`sort=location.name:asc&filter[location.name]=${PORTS[1]}`, documents)).toEqual([1, 3]);
    const quality = `/workspaces/${workspace.id}/jobs/${made[0]}/quality`;
    for (const name of ['Water', 'Density', 'Ash']) await ask('POST', quality, { test: { name }, notes: name });
    const found = await ask('GET', `${quality}?sort=test.name`);
    expect(found.body.map(({ body }: { body: { notes: string } }) => body.notes)).toEqual(['Ash', 'Density', 'Water']);
  });

  it('sorts jobs of Shape A by their first inspection object and first cargo, as other APIs see them', async () => {
    const sent = (port: string, product: string) => {
      const { inspectionObjects, cargoes, ...rest } = shapeA(workspace);
      const [inspected] = inspectionObjects;
      const [cargo] = cargoes;
      return {
        ...rest,
        location: { name: 'Beside the lists' },
        inspectionObjects: [{ ...inspected, location: { xref: port, name: port, type: `a ${port}`, country: 'NL' } }],
        cargoes: [{ ...cargo, product: { xref: product, name: product, type: `a ${product}`, sensitive: false } }],
      };
    };
    const ofA = [(await ask('POST', PATH, sent('Zwolle', 'A-crude'))).body.id];
    ofA.push((await ask('POST', PATH, sent('Aalborg', 'Z-crude'))).body.id);
    const middle = {
      location: { name: 'Middelburg', type: 'a Middelburg' },
      cargo: { product: { name: 'M-crude', type: 'a M-crude' } },
    };
    const parties = { client: { name: workspace.names.client }, vendor: { name: workspace.names.vendor } };
    ofA.splice(1, 0, (await ask('POST', PATH, { ...parties, ...middle })).body.id);
    for (const [sort, expected] of [
      ['location.name', ofA.toReversed()],
      ['location.type', ofA.toReversed()],
      ['cargo.product.name', ofA],
      ['cargo.product.type', ofA],
    ] as const) {
      for (const path of [PATH, `/workspaces/${workspace.id}/jobs`]) {
        const { body } = await ask('GET', `${path}?sort=${sort}`);
        expect(body.map(({ id }: { id: string }) => id).filter((id: string) => ofA.includes(id))).toEqual(expected);
      }
    }
    for (const id of ofA) await ask('DELETE', `/workspaces/${workspace.id}/jobs/${id}`);
  });

  it('shows a stranger nothing', async () => {
    await makeWorkspace(service);
    expect((await service.ask('GET', `${PATH}?sort=location.name`, { as: 'stranger' })).body).toEqual([]);
  });

  it('follows a renamed record', async () => {
    const catalog = `/workspaces/${workspace.id}/catalogs/locations`;
    const [{ id }] = (await ask('GET', `${catalog}?name=Rotterdam`)).body;
    await ask('PATCH', `${catalog}/${id}`, { name: 'Amsterdam' });
    expect(await listed('sort=location.name')).toEqual([4, 0, 1, 3, 5, 2]);
    await ask('PATCH', `${catalog}/${id}`, { name: 'Rotterdam' });
  });
});

it('streams a long list in order of a name', async () => {
  const bodies = Array.from({ length: 1_100 }, (_, n) => ({
    notes: 'many',
    location: { name: PORTS[n % PORTS.length] },
  }));
  const bulk = `/v2/workspaces/${workspace.id}/documents/bulk`;
  expect((await ask('POST', bulk, { type: 'svc.inspection.job', body: bodies })).status).toBe(201);
  const path = `/workspaces/${workspace.id}/jobs?notes=many&sort=location.name:desc`;
  const found: { body: { location: string } }[] = (await ask('GET', path)).body;
  const runs = found.filter(({ body }, n) => body.location !== found[n - 1]?.body.location);
  expect([found.length, runs.length]).toEqual([1_100, 3]);
  const { headers } = await ask('GET', `${path}&limit=1050`);
  const [, next = ''] = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
  expect((await ask('GET', next)).body).toEqual(found.slice(1_050));
});
