import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { figure, voyageFixture } from './voyage-fixture.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const { jobWith, analysis } = voyageFixture(service, workspace);

describe('the trip of a voyage analysis', () => {
  it('is without its cancelled jobs, also when one of them is asked', async () => {
    const of = (activity: 'load' | 'discharge', tcv: number, status = 'complete', tripNumber = '044N') =>
      jobWith({ activity, status, tripNumber }, [figure('TCV', tcv)], [figure('TCV', tcv)]);
    const [loading, cancelled, discharge] = [
      await of('load', 1000),
      await of('load', 99, 'cancelled'),
      await of('discharge', 990),
    ];
    const found = await analysis(loading);
    expect(found).toMatchObject({ loadings: [{ id: loading }], discharges: [{ id: discharge }] });
    expect(await analysis(cancelled)).toEqual(found);
    expect(await analysis(discharge)).toEqual(found);
    const [alone] = [await of('load', 98, 'cancelled', '045N'), await of('load', 97, 'cancelled', '045N')];
    expect(await analysis(alone)).toMatchObject({ loadings: [{ id: alone }], shoreToShore: { given: 98 } });
  });

  it('is of one vessel when a job names it twice, or together with its synonym', async () => {
    const names = [{ name: 'MT Teal' }, { name: 'Teal' }];
    const trip = { tripNumber: '7', transports: names };
    const loading = await jobWith({ activity: 'load', ...trip }, [figure('TCV', 1001)], [figure('TCV', 1000)]);
    const more = { activity: 'discharge', tripNumber: '7', transports: [names[1], names[1]] };
    const discharge = await jobWith(more, [figure('TCV', 1002)], [figure('TCV', 999)]);
    const factors = { loadFactor: 1, dischargeFactor: 1 };
    expect((await analysis(loading, factors)).reason).toBe(
      'The job names 2 vessels: no voyage is that of one. There is no discharge.',
    );
    expect(await analysis(discharge, factors)).toMatchObject({
      ...{ reason: 'There is no loading.', loadings: [], shipToShore: { difference: -3 } },
    });
    const { body } = await service.graphql('query J($job: UUID!) { job(id: $job) { transports { id } } }', {
      job: loading,
    });
    const [vessel, synonym] = body.data.job.transports;
    const link = `/v2/workspaces/${workspace.id}/xrefs/transports/${vessel.id}/synonyms/${synonym.id}`;
    expect((await service.ask('POST', link, { as: 'vendor' })).status).toBeLessThan(300);
    const found = await analysis(loading, factors);
    expect(await analysis(discharge, factors)).toEqual(found);
    expect(found).toMatchObject({
      ...{ reason: null, loadings: [{ id: loading }], discharges: [{ id: discharge }] },
      transit: { difference: 1 },
    });
  });

  it.each([
    ['with a byte order mark', '\ufeff12', '12'],
    ['in letters whose capitals take one character less', 'İ1', 'i̇1'],
    ['in letters of which MongoDB knows no capitals', 'ᎠᎡ-1', 'ꭰꭱ-1'],
    ['in a letter that has two small ones', '1ΑΣ', '1ας'],
    ['between spaces of any kind', '\u3000\u00a0V 1\r\n', 'v 1'],
  ])('finds the trip from both sides when its number is written %s', async (_how, one, other) => {
    const vessel = { transports: [{ name: 'MT Curlew' }] };
    const [loading, discharge] = await Promise.all([
      jobWith({ activity: 'load', tripNumber: one, ...vessel }, [figure('TCV', 1001)], [figure('TCV', 1000)]),
      jobWith({ activity: 'discharge', tripNumber: other, ...vessel }, [figure('TCV', 1002)], [figure('TCV', 999)]),
    ]);
    const found = await analysis(loading);
    expect(await analysis(discharge)).toEqual(found);
    expect(found).toMatchObject({ loadings: [{ id: loading }], discharges: [{ id: discharge }] });
  });

  it('finds the trip when its number is longer than any expression may be', async () => {
    const trip = { tripNumber: 'x'.repeat(40_000), transports: [{ name: 'MT Whimbrel' }] };
    const [loading, discharge, other] = await Promise.all([
      jobWith({ activity: 'load', ...trip }, [], []),
      jobWith({ activity: 'discharge', ...trip }, [], []),
      jobWith({ activity: 'load', ...trip, tripNumber: `${trip.tripNumber}y` }, [], []),
    ]);
    expect(await analysis(loading)).toMatchObject({ loadings: [{ id: loading }], discharges: [{ id: discharge }] });
    expect(await analysis(other)).toMatchObject({ loadings: [{ id: other }], discharges: [] });
  });

  it('compares loaded with discharged only where a grade is on both sides, under one of its names', async () => {
    const of = (activity: string, product: string | undefined, tcv: number, more: object = {}) => {
      const body = { activity, tripNumber: '052N', transports: [{ name: 'MT Gadwall' }], ...more };
      const cargo = product === undefined ? {} : { cargo: { product: { name: product } } };
      const side = activity === 'load' ? 'OBQ' : 'ROB';
      return jobWith({ ...body, ...cargo }, [figure('TCV', tcv), figure(side, 0)], [figure('TCV', tcv)]);
    };
    const [gasoil, jet] = [await of('load', 'Gasoil', 30_000), await of('load', 'Jet A-1', 20_000)];
    await of('discharge', 'Gasoil', 29_970);
    const reason = 'A product was loaded that no discharge names: what is missing need not be lost.';
    const none = { difference: null, percent: null, perMille: null, reason };
    expect(await analysis(gasoil)).toMatchObject({
      transit: { given: 50_000, received: 29_970, ...none },
      shoreToShore: { given: 50_000, received: 29_970, ...none },
      onBoard: { given: 0, received: 0, ...none },
      shoreToShip: { difference: 0, reason: null },
      shipToShore: { difference: 0, reason: null },
    });
    const kerosine = await of('discharge', 'Kerosine', 19_990);
    expect((await analysis(jet)).transit.reason).toBe(
      `${reason} A product was discharged that no loading names: what is in excess need not be a gain.`,
    );
    const query = 'query P($job: UUID!) { job(id: $job) { cargo { product { id } } } }';
    const [one, other] = await Promise.all(
      [jet, kerosine].map(async (job) => (await service.graphql(query, { job })).body.data.job.cargo.product.id),
    );
    const link = `/v2/workspaces/${workspace.id}/xrefs/products/${one}/synonyms/${other}`;
    expect((await service.ask('POST', link, { as: 'vendor' })).status).toBeLessThan(300);
    expect(await analysis(jet)).toMatchObject({ transit: { difference: -40, percent: -0.08, reason: null } });
    // A job without a product may be of any, and where no product is on both sides, one has another name.
    await of('load', undefined, 10);
    expect((await analysis(jet)).transit.difference).toBe(-50);
    const blend = await of('load', 'Blend', 1000, { tripNumber: '053N' });
    await of('discharge', 'Blendstock', 999, { tripNumber: '053N' });
    expect((await analysis(blend)).transit.difference).toBe(-1);
  });

  it('takes every product that a job of Shape A lists for one of its grades', async () => {
    const vessel = { object: { xref: 'V', name: 'MT Wigeon', type: 'vessel', imo: '1', imoValid: true } };
    const location = { xref: 'P', type: 'port', name: 'Sines', country: 'PT' };
    const goods = (name: string, number: number) => ({
      number,
      product: { xref: name, type: 'product', name, sensitive: false },
    });
    const parties = {
      client: { name: workspace.names.client, xref: 'C' },
      vendor: { name: workspace.names.vendor, xref: 'V' },
    };
    const made = await service.ask('POST', '/bridge/v1/data/jobs', {
      as: 'client',
      body: {
        ...{ jobType: 'inspection', status: 'complete', refNumber: 'A-1', retain: false, tripNumber: '054N' },
        ...{ activity: 'load', inspectionObjects: [{ ...vessel, location }], ...parties },
        cargoes: [goods('Naphtha', 1), goods('Reformate', 2)],
      },
    });
    expect(made.status, made.text).toBe(201);
    for (const [direction, value] of [
      ['source', 1500],
      ['destination', 1500],
    ] as const) {
      const path = `/workspaces/${workspace.id}/jobs/${made.body.id}/quantity`;
      const body = { direction, measurements: [figure('TCV', value)] };
      expect((await service.ask('POST', path, { as: 'vendor', body })).status).toBe(201);
    }
    const transports = [{ name: 'MT Wigeon', xref: 'V' }];
    for (const [product, tcv] of [
      ['Naphtha', 1000],
      ['Reformate', 499],
    ] as const) {
      const cargo = { product: { name: product, xref: product } };
      await jobWith(
        { activity: 'discharge', tripNumber: '054N', transports, cargo },
        [figure('TCV', tcv)],
        [figure('TCV', tcv)],
      );
    }
    const found = await analysis(made.body.id);
    expect(found).toMatchObject({ discharges: { length: 2 }, transit: { difference: -1, reason: null } });
  });
});
