import { describe, expect, it } from 'vitest';
import { type Body, shapeA } from '../../rest-compat/data-api/bodies.ts';
import { change, changed, create, dataApiFixture, service, workspace } from './data-api-fixture.ts';

dataApiFixture();

const stored = async (id: string) =>
  (await service.ask('GET', `/workspaces/${workspace.id}/jobs/${id}`, { as: 'client' })).body;

/** Sends a whole job back after it was read and edited, by API. */
const WAYS: Readonly<Record<string, (id: string, body: Body) => Promise<unknown>>> = {
  legacy: (id, body) => changed(id, body),
  v2: async (id, body) => {
    const path = `/v2/workspaces/${workspace.id}/documents/${id}`;
    expect((await service.ask('PATCH', path, { as: 'vendor', body: { body } })).status).toBe(200);
  },
};

const GHENT = { name: 'Ghent', xref: 'BEGNE', type: 'port', country: 'BE' };
const VESSEL = { name: 'MT New', xref: 'IMO9100009', type: 'vessel', imo: '9100009', imoValid: true };
const NAPHTHA = { name: 'Naphtha', xref: 'NAP', type: 'Light', sensitive: false };

interface Listed {
  readonly inspectionObjects: { object: Body; location: Body }[];
  readonly cargoes: { number: number; product: Body }[];
}
const listed = ({ inspectionObjects, cargoes }: Listed) => ({
  vessels: inspectionObjects.map(({ object, location }) => [object.name, location.name]),
  cargoes: cargoes.map(({ number, product }) => [number, product.name]),
});

describe.each(Object.keys(WAYS))('a Shape A job sent back whole by %s', (way) => {
  it('stays unchanged, even after its vessels were reordered', async () => {
    const { parent: _null, ...sent } = shapeA(workspace);
    const { id } = await create(sent);
    const { transports } = await stored(id);
    await changed(id, { transports: transports.toReversed() });
    const before = await stored(id);
    await WAYS[way]?.(id, before);
    expect(await stored(id)).toEqual(before);
  });

  it.each<[string, (job: Listed) => void]>([
    ['the location of a vessel', ({ inspectionObjects: [first] }) => Object.assign(first ?? {}, { location: GHENT })],
    ['a vessel', ({ inspectionObjects: [first] }) => Object.assign(first ?? {}, { object: VESSEL })],
    ['one vessel more', (job) => job.inspectionObjects.push({ object: VESSEL, location: GHENT })],
    ['one vessel less', (job) => job.inspectionObjects.shift()],
    ['a product', ({ cargoes: [first] }) => Object.assign(first ?? {}, { product: NAPHTHA })],
    ['one cargo more', (job) => job.cargoes.push({ number: 3, product: NAPHTHA })],
  ])('has the changes in its lists: %s', async (_what, edit) => {
    const { id } = await create(shapeA(workspace));
    const body = await stored(id);
    edit(body);
    await WAYS[way]?.(id, body);
    const after = await stored(id);
    expect(listed(after)).toEqual(listed(body));
    expect(after).toMatchObject({
      transports: after.inspectionObjects.map(({ object }: { object: Body }) => object.id),
      location: after.inspectionObjects[0].location.id,
      cargo: { product: after.cargoes[0].product.id },
    });
  });

  it('may gain an item beside those that another API could not complete', async () => {
    const { id } = await create(shapeA(workspace));
    await changed(id, { transports: [{ name: 'MT Bare' }], cargo: { product: { name: 'Gasoil' } } });
    const body: Listed = await stored(id);
    body.inspectionObjects.push({ object: VESSEL, location: GHENT });
    body.cargoes.unshift({ number: 9, product: NAPHTHA });
    await WAYS[way]?.(id, { ...body });
    expect(listed(await stored(id))).toEqual(listed(body));
  });
});

it('a list item that differs from the stored one must be complete, and errors name its index', async () => {
  const { id } = await create(shapeA(workspace));
  await changed(id, { transports: [{ name: 'MT Bare' }] });
  const { inspectionObjects } = await stored(id);
  const { status, body } = await change(id, {
    inspectionObjects: [...inspectionObjects, { object: { name: 'MT/1' } }],
  });
  expect([status, body.errors.map(({ path }: { path: string }) => path)]).toEqual([
    400,
    expect.arrayContaining(['/inspectionObjects/1/location', '/inspectionObjects/1/object/xref']),
  ]);
  expect(JSON.stringify(body.errors)).not.toContain('/inspectionObjects/0');
});
