import { beforeEach, describe, expect, it } from 'vitest';
import { shapeA } from '../../rest-compat/data-api/bodies.ts';
import { create, dataApiFixture, service, workspace } from './data-api-fixture.ts';

dataApiFixture();

const BRIDGE = '/bridge/v1/data/jobs';

/** What a job of Shape A has in its lists. */
interface Lists {
  readonly inspectionObjects: readonly { readonly object: { id: string }; readonly location: { id: string } }[];
  readonly cargoes: readonly { readonly product: { id: string }; readonly volume?: { readonly uom: { id: string } } }[];
}

let job: string;
let lists: Lists;

beforeEach(async () => {
  ({ id: job, body: lists } = await create(shapeA(workspace)));
});

/** The jobs of the workspace that a filter finds; all three request forms must agree. */
async function found(field: string, value: string): Promise<string[]> {
  const query = encodeURIComponent(value);
  const jobs = `/workspaces/${workspace.id}/jobs?${field}=${query}`;
  const documents = `/v2/workspaces/${workspace.id}/documents?type=svc.inspection.job&filter[body.${field}]=${query}`;
  const [legacy, v2] = await Promise.all([jobs, documents].map((path) => service.ask('GET', path, { as: 'vendor' })));
  const ids = ({ status, body }: { status: number; body: { id: string }[] }) => {
    expect([field, value, status]).toEqual([field, value, 200]);
    return body.map(({ id }) => id);
  };
  const graphql = await filtered({ workspace: workspace.id }, field, value);
  expect([ids(v2 as never), graphql]).toEqual([ids(legacy as never), graphql]);
  expect(graphql).toEqual(ids(legacy as never));
  return graphql;
}

async function filtered(place: { workspace?: string }, field: string, value: string): Promise<string[]> {
  const query = `query Q($workspace: UUID, $filter: [FieldFilter!]) {
    jobs(workspace: $workspace, filter: $filter) { totalCount nodes { id } }
  }`;
  const filter = [{ field, anyOf: [value === 'null' ? null : value] }];
  const { body } = await service.graphql(query, { ...place, filter });
  expect(body.errors).toBeUndefined();
  const { nodes, totalCount } = body.data.jobs;
  expect(totalCount).toBe(nodes.length);
  return nodes.map(({ id }: { id: string }) => id);
}

const renamed = async (catalog: string, id: string, patch: object) => {
  const path = `/workspaces/${workspace.id}/catalogs/${catalog}/${id}`;
  expect((await service.ask('PATCH', path, { as: 'client', body: patch })).status).toBe(200);
};

/** The references in the lists, with their catalogs, and what the test job has there. */
const references = () =>
  [
    ['inspectionObjects.object', 'transports', lists.inspectionObjects[1]?.object.id ?? '', 'MT Skua', 'IMO9100002'],
    ['inspectionObjects.location', 'locations', lists.inspectionObjects[1]?.location.id ?? '', 'Antwerp', 'BEANR'],
    ['cargoes.product', 'products', lists.cargoes[1]?.product.id ?? '', 'Jet A-1', 'JET'],
    ['cargoes.volume.uom', 'uom', lists.cargoes[0]?.volume?.uom.id ?? '', 'Barrel', 'BBL'],
  ] as const;

describe('a filter by a reference in the lists of Shape A', () => {
  it('matches by the id of the record, in any letter case', async () => {
    for (const [field, , id] of references()) {
      expect([field, await found(field, id.toUpperCase())]).toEqual([field, [job]]);
      expect([field, await found(`${field}.id`, id)]).toEqual([field, [job]]);
      expect([field, await found(field, workspace.id)]).toEqual([field, []]);
    }
    const path = `/workspaces/${workspace.id}/jobs?cargoes.product=Jet`;
    const { body } = await service.ask('GET', path, { as: 'client' });
    expect(body).toMatchObject({ status: 400, errors: [{ parameter: 'cargoes.product' }] });
  });

  it("matches by the record's present name and xref, not by those that were sent", async () => {
    for (const [field, catalog, id, name, xref] of references()) {
      expect([field, await found(`${field}.name`, name), await found(`${field}.xref`, xref)]).toEqual([
        ...[field, [job], [job]],
      ]);
      await renamed(catalog, id, { name: `${name}, new`, xref: `${xref}-2` });
      expect([field, await found(`${field}.name`, `${name}, new`), await found(`${field}.xref`, `${xref}-2`)]).toEqual([
        ...[field, [job], [job]],
      ]);
      expect([field, await found(`${field}.name`, name), await found(`${field}.xref`, xref)]).toEqual([field, [], []]);
    }
  });

  it('finds by null the jobs without the reference, by xref also those whose record has none', async () => {
    const { cargoes, ...others } = shapeA(workspace);
    const { id: without } = await create({ ...others, cargoes: [{ ...cargoes[1], product: cargoes[0]?.product }] });
    const { id: bare } = await create({ ...others, cargoes: [] });
    expect(await found('cargoes.volume.uom', 'null')).toEqual([bare, without]);
    expect(await found('cargoes.volume.uom.name', 'null')).toEqual([bare, without, job]); // one cargo of several
    expect(await found('cargoes.product', 'null')).toEqual([bare]);
    expect(await found('cargoes.product.name', 'null')).toEqual([bare]);
    expect(await found('cargoes.product.xref', 'null')).toEqual([bare]);
    await renamed('products', lists.cargoes[1]?.product.id ?? '', { xref: null });
    expect(await found('cargoes.product.xref', 'null')).toEqual([bare, job]);
    const listed = `/workspaces/${workspace.id}/jobs?cargoes.product.xref=null&cargoes.product.xref=GO-10`;
    const { body } = await service.ask('GET', listed, { as: 'client' });
    expect(body.map(({ id }: { id: string }) => id)).toEqual([bare, without, job]);
  });

  it('finds a job in no workspace by what was sent, and by its records once it is placed', async () => {
    const parties = { client: { name: 'Nobody', xref: 'N' }, vendor: { name: 'No one', xref: 'O' } };
    const { body: made } = await service.ask('POST', BRIDGE, {
      as: 'client',
      body: { ...shapeA(workspace), ...parties, inspectionObjects: [seldom()] },
    });
    expect(made.meta).toEqual({});
    expect(await filtered({}, 'inspectionObjects.object.name', 'MT Seldom')).toEqual([made.id]);
    expect(await filtered({}, 'inspectionObjects.location.xref', 'NLXXX')).toEqual([made.id]);
    expect(await filtered({}, 'inspectionObjects.object.name', 'null')).toEqual([]);
    const place = 'mutation P($id: UUID!, $w: UUID!) { placeJob(id: $id, workspace: $w) { body } }';
    const { body: placed } = await service.graphql(place, { id: made.id, w: workspace.id });
    const { id } = placed.data.placeJob.body.inspectionObjects[0].object;
    await renamed('transports', id, { name: 'MT Often' });
    expect(await found('inspectionObjects.object', id)).toEqual([made.id]);
    expect(await found('inspectionObjects.object.name', 'MT Often')).toEqual([made.id]);
    expect(await found('inspectionObjects.object.name', 'MT Seldom')).toEqual([]);
    expect(await found('inspectionObjects.location.xref', 'NLXXX')).toEqual([made.id]);
  });

  it('compares what was sent in a job that another API created, which has no records there', async () => {
    const { object } = lists.inspectionObjects[1] ?? {};
    const body = { inspectionObjects: [{ object }, { object: { name: 'MT Loose', xref: 'L' } }], cargoes: 'none' };
    const { body: made } = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body });
    expect(await found('inspectionObjects.object.name', 'MT Loose')).toEqual([made.id]);
    expect(await found('inspectionObjects.object.xref', 'L')).toEqual([made.id]);
    await renamed('transports', object?.id ?? '', { name: 'MT New' });
    expect(await found('inspectionObjects.object.name', 'MT Skua')).toEqual([made.id]);
    expect(await found('inspectionObjects.object.name', 'MT New')).toEqual([job]);
  });

  it('is no order, because a list has several', async () => {
    for (const [field] of references())
      for (const sort of [field, `${field}.name`, `${field}.xref:desc`]) {
        const path = `/workspaces/${workspace.id}/jobs?sort=${sort}`;
        const { body } = await service.ask('GET', path, { as: 'client' });
        expect([sort, body.status, body.detail]).toEqual([sort, 400, expect.stringContaining('inside a list')]);
      }
  });
});

const seldom = () => ({
  object: { xref: 'IMO9', name: 'MT Seldom', type: 'vessel', imo: '9', imoValid: true },
  location: { xref: 'NLXXX', type: 'port', name: 'Elsewhere', country: 'NL' },
});
