import { describe, expect, it } from 'vitest';
import { commandsDuring } from '../../profile.ts';
import { type Body, shapeA, shapeB } from '../../rest-compat/data-api/bodies.ts';
import { changed, create, dataApiFixture, service, shown, workspace } from './data-api-fixture.ts';

dataApiFixture();

const recordPath = (catalog: string, id: string) => `/workspaces/${workspace.id}/catalogs/${catalog}/${id}`;

describe('the records of a Data API job', () => {
  it('are shown with their current xref and name', async () => {
    const a = await create(shapeA(workspace));
    const b = await create(shapeB(workspace));
    for (const [catalog, id, patch] of [
      ['locations', b.body.location.id, { name: 'Rotterdam Europoort', xref: 'NLEUR' }],
      ['clients', b.body.client.id, { name: 'Renamed', xref: null }],
      ['uom', b.body.cargo.quantity.uom.id, { name: 'bbl' }],
    ] as const) {
      const { status } = await service.ask('PATCH', recordPath(catalog, id), { as: 'client', body: patch });
      expect(status).toBe(200);
    }
    expect(await shown(b.id)).toMatchObject({
      location: { ...b.body.location, name: 'Rotterdam Europoort', xref: 'NLEUR' },
      client: { ...b.body.client, name: 'Renamed' },
      cargo: { quantity: { uom: { ...b.body.cargo.quantity.uom, name: 'bbl' } } },
    });
    const { inspectionObjects, cargoes, client } = await shown(a.id);
    expect(inspectionObjects[0].location).toEqual({
      ...a.body.inspectionObjects[0].location,
      name: 'Rotterdam Europoort',
      xref: 'NLEUR',
    });
    expect([cargoes[0].volume.uom.name, client.name]).toEqual(['bbl', 'Renamed']);
  });

  it('are read after the insert of a creation, for the answer, and also before it when not cached', async () => {
    const first = await create(shapeB(workspace));
    for (const reads of [2, 1]) {
      const commands = await commandsDuring(service, async () => {
        const again = await create(shapeB(workspace));
        expect(again.body).toEqual(first.body);
      });
      expect(commands.filter(({ ns }) => String(ns).endsWith('.catalog_records'))).toHaveLength(reads);
    }
    await service.stores.db
      .collection<{ _id: string }>('catalog_records')
      .updateOne({ _id: first.body.location.id }, { $set: { 'body.name': 'As of now' } });
    expect((await create(shapeB(workspace))).body.location.name).toBe('As of now');
  });

  it('are in use, including those in the lists, until a change releases them', async () => {
    const { id, body } = await create(shapeA(workspace));
    const [first, second] = body.inspectionObjects;
    const remove = async (catalog: string, recordId: string) =>
      (await service.ask('DELETE', recordPath(catalog, recordId), { as: 'client' })).body.code ?? 'deleted';
    expect(await remove('uom', body.cargoes[0].volume.uom.id)).toBe('IN_USE');
    expect(await remove('locations', second.location.id)).toBe('IN_USE');
    expect(await remove('locations', first.location.id)).toBe('IN_USE');
    await changed(id, { location: { name: 'Ghent' } });
    expect(await remove('locations', first.location.id)).toBe('deleted');
    await changed(id, { cargoes: null });
    expect(await remove('uom', body.cargoes[0].volume.uom.id)).toBe('deleted');
  });

  it('are typed in GraphQL, also in the lists', async () => {
    const { id } = await create(shapeA(workspace));
    const { body } = await service.graphql(
      `query J($id: UUID!) { job(id: $id) {
        jobType region international retainDays sampleDate split inspectors { role } location { name } transports { xref }
        inspectionObjects { object { name } location { xref } } cargoes { number product { name } volume { value uom { name } } }
      } }`,
      { id },
      'vendor',
    );
    expect(body.data.job).toEqual({
      jobType: 'Quality and quantity',
      region: 'ARA',
      international: true,
      retainDays: 90,
      sampleDate: '2026-05-01T08:30:00.123456Z',
      split: 0.5,
      inspectors: [{ role: 'lead' }],
      location: { name: 'Rotterdam' },
      transports: [{ xref: 'IMO9100001' }, { xref: 'IMO9100002' }],
      inspectionObjects: [
        { object: { name: 'MT Petrel' }, location: { xref: 'NLRTM' } },
        { object: { name: 'MT Skua' }, location: { xref: 'BEANR' } },
      ],
      cargoes: [
        { number: 1, product: { name: 'Gas Oil' }, volume: { value: 30000.5, uom: { name: 'Barrel' } } },
        { number: 2, product: { name: 'Jet A-1' }, volume: null },
      ],
    });
  });

  it('filter and sort in the other families', async () => {
    const { id } = await create({ ...shapeA(workspace), region: 'Own region' });
    const base = `/workspaces/${workspace.id}/jobs`;
    for (const query of [
      'region=Own%20region',
      'retainDays=90&international=true',
      'sampleDate=2026-05-01T08:30:00.123Z',
      'inspectionObjects.object.imo=9100002',
      'cargoes.product.code=GO',
      'location.name=Rotterdam',
      'transports.xref=IMO9100002',
      'status=Nominated&sort=jobType:desc',
    ]) {
      const { body } = await service.ask('GET', `${base}?${query}`, { as: 'vendor' });
      expect([query, body.map((job: Body) => job.id)]).toEqual([query, [id]]);
    }
    expect((await service.ask('GET', `${base}?region=Other`, { as: 'vendor' })).body).toEqual([]);
  });

  it('are created once by fifty requests at once, in both shapes', async () => {
    const bodies = Array.from({ length: 50 }, (_, i) => (i % 2 ? shapeA(workspace) : shapeB(workspace)));
    const made = await Promise.all(bodies.map(create));
    const ids = made.map(({ body }) => (body.location ?? body.inspectionObjects[0].location).id);
    expect(new Set(ids).size).toBe(1);
  });
});
