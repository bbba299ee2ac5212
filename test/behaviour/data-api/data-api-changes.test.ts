import { describe, expect, it } from 'vitest';
import { type Body, shapeA, shapeB, withoutIds } from '../../rest-compat/data-api/bodies.ts';
import { change, changed, create, dataApiFixture, service, shown, workspace } from './data-api-fixture.ts';

dataApiFixture();

const record = async (catalog: string, body: object) =>
  (await service.ask('POST', `/workspaces/${workspace.id}/catalogs/${catalog}`, { as: 'client', body })).body.id;

/** Every way to patch one job, each resolving to its new version. */
const WAYS: Readonly<Record<string, (id: string, patch: object) => Promise<unknown>>> = {
  legacy: (id, patch) => changed(id, patch),
  v2: async (id, patch) => {
    const path = `/v2/workspaces/${workspace.id}/documents/${id}`;
    const { status } = await service.ask('PATCH', path, { as: 'vendor', body: { body: patch } });
    expect(status).toBe(200);
  },
  graphql: async (id, patch) => {
    const query = 'mutation U($id: UUID!, $p: JobPatch!) { updateJob(id: $id, patch: $p) { id } }';
    expect((await service.graphql(query, { id, p: patch }, 'vendor')).body.errors).toBeUndefined();
  },
};

describe.each(Object.keys(WAYS))('a change by %s', (way) => {
  it('is shown in the Data API, and everything else stays', async () => {
    for (const sent of [shapeA(workspace), shapeB(workspace)]) {
      const { id, body } = await create(sent);
      await WAYS[way]?.(id, { notes: 'changed', custom: { nested: null, more: 1 }, requested: { quality: true } });
      const requested = { ...('requested' in sent && sent.requested), quality: true };
      expect(await shown(id)).toEqual({ ...body, notes: 'changed', custom: { more: 1 }, requested });
    }
  });

  it('leaves free text of the Data API alone, and checks what it sets itself', async () => {
    const { id } = await create(shapeA(workspace));
    await WAYS[way]?.(id, { refNumber: 'R-2' });
    await WAYS[way]?.(id, { activity: 'load' });
    expect(await shown(id)).toMatchObject({ status: 'Nominated', activity: 'load', refNumber: 'R-2' });
    const refused = await change(id, { status: 'Odd' });
    expect([refused.status, refused.body.errors]).toEqual([400, [expect.objectContaining({ path: '/status' })]]);
  });
});

describe('a change of a job of Shape B', () => {
  it('shows another location with the xref and name of its record, and nothing of the previous one', async () => {
    const { id } = await create(shapeB(workspace));
    const ghent = await record('locations', { name: 'Ghent', xref: 'BEGNE' });
    await changed(id, { location: ghent, transports: [{ name: 'MT Skua' }, { name: 'MT New', flag: 'NO' }] });
    const { location, transports } = await shown(id);
    expect(location).toEqual({ id: ghent, xref: 'BEGNE', name: 'Ghent' });
    expect(withoutIds(transports)).toEqual([
      { type: 'barge', xref: 'IMO9100002', name: 'MT Skua', flag: 'MT' },
      { name: 'MT New', flag: 'NO' },
    ]);
  });

  it('keeps what was sent beside an unchanged reference', async () => {
    const { id, body } = await create(shapeB(workspace));
    await changed(id, { location: { name: 'ROTTERDAM' }, transports: body.transports, notes: 'changed' });
    expect(await shown(id)).toEqual({ ...body, notes: 'changed' });
  });

  it('shows quantity and unit as one object', async () => {
    const { id } = await create({ ...shapeB(workspace), cargo: { sensitive: true } });
    const { cargo } = await changed(id, { cargo: { quantity: 7, uom: { name: 'MT' } } });
    expect((await shown(id)).cargo).toEqual({
      sensitive: true,
      quantity: { value: 7, uom: { id: cargo.uom, name: 'MT' } },
    });
    await changed(id, { cargo: { uom: null } });
    expect((await shown(id)).cargo).toEqual({ sensitive: true, quantity: { value: 7 } });
    await changed(id, { cargo: { quantity: null } });
    expect((await shown(id)).cargo).toEqual({ sensitive: true });
  });

  it('keeps odd quantities distinct', async () => {
    for (const cargo of [
      { quantity: null },
      { quantity: {} },
      { quantity: { value: null } },
      { quantity: { uom: null } },
      { quantity: { value: 0, uom: null } },
      { uom: 'as it was sent', quantity: { value: 1 } },
      {},
      null,
    ]) {
      const { id } = await create({ ...shapeB(workspace), cargo });
      expect((await shown(id)).cargo).toEqual(cargo);
    }
  });
});

describe('a change of a job of Shape A', () => {
  it('is shown in the lists: location, vessels and product', async () => {
    const { id, body } = await create(shapeA(workspace));
    const [first, second] = body.inspectionObjects;
    const { location } = await changed(id, { location: { name: 'Ghent', country: 'BE' } });
    expect((await shown(id)).inspectionObjects).toEqual([
      { ...first, location: { id: location, name: 'Ghent', country: 'BE' } },
      second,
    ]);
    const { transports } = await changed(id, { transports: [second.object.id, { name: 'MT New' }, first.object.id] });
    const objects = (await shown(id)).inspectionObjects;
    expect(objects.map(({ object }: { object: Body }) => object.id)).toEqual(transports);
    expect(objects[0]).toEqual(second);
    expect(objects[1]).toMatchObject({ object: { id: transports[1], name: 'MT New' } });
    expect(objects[2]).toMatchObject({ object: first.object });
    const { cargo } = await changed(id, { cargo: { product: { name: 'Naphtha' }, quantity: 5 } });
    const after = await shown(id);
    expect(after.cargoes).toEqual([
      { ...body.cargoes[0], product: { id: cargo.product, name: 'Naphtha' } },
      body.cargoes[1],
    ]);
    expect(after.cargo).toEqual({ quantity: { value: 5 } });
  });

  it('to one vessel leaves the others, and the rest of its inspection object', async () => {
    const { id, body } = await create(shapeA(workspace));
    const [first, second] = body.inspectionObjects;
    const { transports } = await changed(id, {
      transports: [first.object.id, { name: 'MT New' }, { name: 'MT Third' }],
    });
    const [one, two, three] = (await shown(id)).inspectionObjects;
    expect(one).toEqual(first);
    expect(two).toEqual({ ...second, object: { id: transports[1], name: 'MT New' } });
    expect(three).toEqual({ object: { id: transports[2], name: 'MT Third' }, location: first.location });
  });

  it('that removes a vessel removes its inspection object, and leaves the location', async () => {
    const { id, body } = await create(shapeA(workspace));
    const [first, second] = body.inspectionObjects;
    const after = await changed(id, { transports: [second.object.id] });
    expect(after).toMatchObject({ transports: [second.object.id], location: first.location.id });
    expect(await shown(id)).toEqual({ ...body, inspectionObjects: [second], location: first.location });
    await changed(id, { location: null, transports: null });
    const bare = await shown(id);
    expect([bare.inspectionObjects, 'location' in bare, 'transports' in bare]).toEqual([[], false, false]);
  });

  it('that removes all vessels leaves the location, also for those added later', async () => {
    for (const transports of [[], null]) {
      const { id, body } = await create(shapeA(workspace));
      const [{ object, location }] = body.inspectionObjects;
      expect((await changed(id, { transports })).location).toBe(location.id);
      expect(await shown(id)).toMatchObject({ inspectionObjects: [], location });
      const { transports: back } = await changed(id, { transports: [{ name: 'MT Petrel' }] });
      expect(back).toEqual([object.id]);
      const again = await shown(id);
      expect(again.inspectionObjects).toMatchObject([{ object: { id: object.id, name: 'MT Petrel' }, location }]);
      expect(again).not.toHaveProperty('location');
    }
  });

  it('that names a location along with the vessels sets it on the first of them', async () => {
    const { id, body } = await create(shapeA(workspace));
    const [first, second] = body.inspectionObjects;
    const vessel = second.object.id;
    const { location } = await changed(id, { transports: [vessel], location: { name: 'Ghent' } });
    expect(await shown(id)).toEqual({
      ...body,
      inspectionObjects: [{ ...second, location: { id: location, name: 'Ghent' } }],
    });
    const { location: same } = await changed(id, { transports: [first.object.id], location });
    expect(same).toBe(location);
  });

  it('that removes the location or the product leaves no incomplete item, and keeps everything it does not name', async () => {
    const { id, body } = await create(shapeA(workspace));
    const [first, second] = body.inspectionObjects;
    const bare = await changed(id, { location: null });
    expect([bare.location, bare.transports]).toEqual([undefined, [first.object.id, second.object.id]]);
    expect(await shown(id)).toEqual({
      ...body,
      inspectionObjects: [second],
      transports: [first.object, second.object],
    });
    await changed(id, { location: { name: 'Ghent' } });
    const { inspectionObjects, ...others } = await shown(id);
    expect(inspectionObjects).toMatchObject([{ object: first.object, location: { name: 'Ghent' } }, second]);
    expect(others).not.toHaveProperty('transports');
    for (const cargo of [{ product: null }, null]) {
      const job = await create(shapeA(workspace));
      await changed(job.id, { cargo: { quantity: 5 } });
      const after = await changed(job.id, { cargo });
      expect(after.cargo).toEqual(cargo ? { quantity: 5 } : undefined);
      const still = await shown(job.id);
      expect([still.cargoes, still.inspectionObjects]).toEqual([[body.cargoes[1]], body.inspectionObjects]);
      await changed(job.id, { cargo: { product: { name: 'Naphtha' } } });
      expect(await shown(job.id)).toMatchObject({ cargoes: still.cargoes, cargo: { product: { name: 'Naphtha' } } });
    }
  });

  it('creates the list of vessels if missing, and leaves a product without its number beside the cargoes', async () => {
    const { inspectionObjects: _o, cargoes: _c, retain: _r, ...rest } = shapeA(workspace);
    const { id } = await create({ ...rest, cargoes: [] });
    await changed(id, { location: { name: 'Ghent', country: 'BE' } });
    expect(await shown(id)).toMatchObject({ location: { name: 'Ghent', country: 'BE' }, cargoes: [] });
    const ids = await changed(id, { transports: [{ name: 'MT One' }], cargo: { product: { name: 'Jet' } } });
    expect(await shown(id)).toMatchObject({
      inspectionObjects: [
        {
          object: { id: ids.transports[0], name: 'MT One' },
          location: { id: ids.location, name: 'Ghent', country: 'BE' },
        },
      ],
      cargo: { product: { id: ids.cargo.product, name: 'Jet' } },
      cargoes: [],
    });
  });

  it('is shown where the Data API sent a member of that name, and all else as it was sent', async () => {
    const cargo = { quantity: { value: 5, uom: { name: 'MT' } }, description: 'd', grade: 'g' };
    const { id } = await create({ ...shapeA(workspace), cargo, location: 'as sent' });
    expect(await shown(id)).toMatchObject({ cargo, location: 'as sent' });
    const { cargo: next } = await changed(id, {
      cargo: { quantity: 9, uom: { name: 'bbl' }, description: 'changed' },
    });
    const after = await shown(id);
    expect(after.cargo).toEqual({
      quantity: { value: 9, uom: { id: next.uom, name: 'bbl' } },
      description: 'changed',
      grade: 'g',
    });
    expect(after.location).toBe('as sent');
    await changed(id, { cargo: { quantity: null, uom: null }, location: { name: 'Ghent' } });
    const last = await shown(id);
    expect(last.cargo).toEqual({ description: 'changed', grade: 'g' });
    expect(last).not.toHaveProperty('location');
    expect(last.inspectionObjects[0].location.name).toBe('Ghent');
  });

  it('to the lists themselves updates location, vessels and product, with records found or created', async () => {
    const { id, body } = await create(shapeA(workspace));
    const [first, second] = shapeA(workspace).inspectionObjects;
    const after = await changed(id, {
      inspectionObjects: [second, { ...first, location: { ...second?.location, name: 'Ghent', xref: 'BEGNE' } }],
    });
    const [one, two] = body.inspectionObjects;
    expect(after).toMatchObject({ location: expect.any(String), transports: [expect.any(String), expect.any(String)] });
    expect((await shown(id)).inspectionObjects.map(({ object }: { object: Body }) => object.name)).toEqual([
      'MT Skua',
      'MT Petrel',
    ]);
    // The vendor has no such xref, so the names are matched, as in any other reference.
    expect(after.transports).toEqual([two.object.id, one.object.id]);
    expect(after.location).toBe(two.location.id);
  });

  it('must leave lists that it sets complete, but may leave them untouched', async () => {
    const { id } = await create(shapeA(workspace));
    for (const [patch, path] of [
      [{ inspectionObjects: [{ object: { name: 'MT One' } }] }, '/inspectionObjects/0/location'],
      [{ inspectionObjects: ['x'] }, '/inspectionObjects/0'],
      [{ inspectionObjects: {} }, '/inspectionObjects'],
      [{ cargoes: [{ number: 1 }] }, '/cargoes/0/product'],
    ] as const) {
      const answer = await change(id, patch);
      expect([patch, answer.status, answer.body.errors?.map(({ path: at }: { path: string }) => at)]).toEqual([
        patch,
        400,
        expect.arrayContaining([path]),
      ]);
    }
    await changed(id, { transports: [{ name: 'MT New' }] }); // what is known of it makes no complete item
    await changed(id, { notes: 'changed' });
    expect((await shown(id)).notes).toBe('changed');
  });

  it('without any difference creates no version', async () => {
    const { id, version_id: version } = await create(shapeA(workspace));
    for (const patch of [
      { location: { name: 'rotterdam' } },
      { transports: [{ name: 'MT Petrel' }, { name: 'MT Skua' }] },
      {},
    ]) {
      const answer = await change(id, patch);
      expect([patch, answer.headers.get('etag')?.replace('-gzip', '')]).toEqual([patch, `"${version}"`]);
    }
  });
});
