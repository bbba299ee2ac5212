import { describe, expect, it } from 'vitest';
import { type Body, shapeA } from '../../rest-compat/data-api/bodies.ts';
import { change, changed, create, dataApiFixture, service, shown, workspace } from './data-api-fixture.ts';

dataApiFixture();

/** Patches the job by v2; returns whether that created a version. */
async function patchedByV2(id: string, body: object): Promise<boolean> {
  const path = `/v2/workspaces/${workspace.id}/documents/${id}`;
  const before = await service.ask('GET', path, { as: 'vendor' });
  const after = await service.ask('PATCH', path, { as: 'vendor', body: { body } });
  expect([after.status, after.text]).toEqual([200, expect.any(String)]);
  return after.body.version_id !== before.body.version_id;
}

describe('a patch of a Shape A job that names the same record, with other members', () => {
  it('puts them in the lists, in a new version, and leaves all others', async () => {
    const { id, body } = await create(shapeA(workspace));
    const [first, second] = body.inspectionObjects;
    const [cargo, other] = body.cargoes;
    expect(await patchedByV2(id, { location: { name: 'ROTTERDAM', berth: 9, type: 'anchorage' } })).toBe(true);
    const berthed = { ...first, location: { ...first.location, berth: 9, type: 'anchorage' } };
    expect((await shown(id)).inspectionObjects).toEqual([berthed, second]);
    const transports = [{ name: 'MT Petrel' }, { name: 'MT Skua', flag: 'NO' }];
    expect(await patchedByV2(id, { transports })).toBe(true);
    const flagged = { ...second, object: { ...second.object, flag: 'NO' } };
    expect((await shown(id)).inspectionObjects).toEqual([berthed, flagged]);
    expect(await patchedByV2(id, { cargo: { product: { name: 'Gas Oil', density: 0.85 } } })).toBe(true);
    expect(await shown(id)).toEqual({
      ...body,
      inspectionObjects: [berthed, flagged],
      cargoes: [{ ...cargo, product: { ...cargo.product, density: 0.85 } }, other],
    });
    expect(await patchedByV2(id, { transports, location: { name: 'Rotterdam', berth: 9 } })).toBe(false);
  });

  it('puts them there even if the vessels change, and in the right item when two have the same vessel', async () => {
    const { inspectionObjects, ...job } = shapeA(workspace);
    const [petrel] = inspectionObjects;
    const { id, body } = await create({ ...job, inspectionObjects: [petrel, { ...petrel, side: 'port' }] });
    const [first, second] = body.inspectionObjects;
    await changed(id, { transports: [{ name: 'MT Petrel' }, { name: 'MT Petrel', flag: 'NO' }, { name: 'MT New' }] });
    const [one, two, three] = (await shown(id)).inspectionObjects;
    expect([one, two]).toEqual([first, { ...second, object: { ...second.object, flag: 'NO' } }]);
    expect(three).toMatchObject({ object: { name: 'MT New' }, location: first.location });
  });
});

describe('a patch of a Shape A job that names an unchanged record, beside an edited list', () => {
  const GHENT = { name: 'Ghent', xref: 'BEGNE', type: 'port', country: 'BE' };
  const VESSEL = { name: 'MT New', xref: 'IMO9100009', type: 'vessel', imo: '9100009', imoValid: true };
  const NAPHTHA = { number: 1, product: { name: 'Naphtha', xref: 'NAP', type: 'Light', sensitive: false } };

  it.each<[string, (record: { id: string; xref: string; name: string }) => unknown]>([
    ['by its id', ({ id }) => id],
    ['by its id in capitals', ({ id }) => id.toUpperCase()],
    ['by an object with its id', ({ id }) => ({ id })],
    ['by its name', ({ name }) => ({ name })],
    ['by its xref and name', ({ xref, name }) => ({ xref, name })],
    ['with another member', ({ name }) => ({ name, note: 'as it was' })],
  ])('leaves that to the list: %s', async (_how, reference) => {
    const { inspectionObjects, cargoes, ...job } = shapeA(workspace);
    const { id, body } = await create({ ...job, inspectionObjects: [inspectionObjects[0]], cargoes: [cargoes[0]] });
    const [{ object, location }] = body.inspectionObjects;
    const edited = { inspectionObjects: [{ object: VESSEL, location: GHENT }], cargoes: [NAPHTHA] };
    const after = await changed(id, {
      ...edited,
      transports: [reference(object)],
      location: reference(location),
      cargo: { product: reference(body.cargoes[0].product) },
    });
    const listed = (await shown(id)) as typeof edited & { readonly cargoes: readonly { readonly product: Body }[] };
    expect(listed).toMatchObject(edited);
    expect(listed.inspectionObjects[0]).toEqual({
      object: { ...VESSEL, id: after.transports[0] },
      location: { ...GHENT, id: after.location },
    });
    expect(listed.cargoes[0]?.product).toEqual({ ...NAPHTHA.product, id: after.cargo.product });
    expect(listed).not.toHaveProperty('location');
  });

  it('gives the members to that record if the list still has it', async () => {
    const { id, body } = await create(shapeA(workspace));
    const [first, second] = body.inspectionObjects;
    const answer = await change(id, {
      inspectionObjects: [{ ...first, location: GHENT }],
      transports: [{ name: 'MT Petrel', flag: 'NO' }, second.object.id],
      location: { name: 'Rotterdam', berth: 9 },
    });
    expect([answer.status, answer.body.transports]).toEqual([200, [first.object.id]]);
    expect((await shown(id)).inspectionObjects).toEqual([
      { ...first, object: { ...first.object, flag: 'NO' }, location: { ...GHENT, id: answer.body.location } },
    ]);
  });
});
