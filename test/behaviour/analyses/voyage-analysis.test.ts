import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { figure, m3, VOYAGE_QUERY, voyageFixture } from './voyage-fixture.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const { jobWith, analysis } = voyageFixture(service, workspace);

describe('the voyage analysis', () => {
  it('matches a hand calculation, the same from the loading and from the discharge', async () => {
    // shore loaded 50000, on departure TCV 50130 with 80 OBQ: 50050; on arrival TCV 50080 with 30 ROB: 50050; outturn 49900
    //   shore to ship  50050 − 50000 = +50 = 0.1 % = 1 ‰       transit        50080 − 50130 = −50 = −0.0997 %
    //   ship to shore  49900 − 50050 = −150 = −0.2997 %        shore to shore 49900 − 50000 = −100 = −0.2 %
    //   on board       30 − 80 = −50 = −62.5 %
    //   theoretical    50050 ÷ 1.001 = 50000; 50050 ÷ 1.00200 = 49950.0998…, outturn −50.0998
    const trip = { tripNumber: '044N' };
    const loading = await jobWith(
      { activity: 'load', ...trip },
      [figure('TCV', 50130), figure('OBQ', 80)],
      [figure('TCV', 50000)],
    );
    const discharge = await jobWith(
      { activity: 'discharge', ...trip },
      [figure('TCV', 50080), figure('ROB', 30)],
      [figure('TCV', 49900)],
    );
    await jobWith({ activity: 'load', tripNumber: '045N' }, [figure('TCV', 1)], [figure('TCV', 1)]);
    await jobWith({ activity: 'load', ...trip, status: 'cancelled' }, [figure('TCV', 1)], [figure('TCV', 1)]);
    const factors = { loadFactor: 1.001, dischargeFactor: 1.002 };
    const found = await analysis(loading, factors);
    expect(await analysis(discharge, factors)).toEqual(found);
    expect(found).toMatchObject({
      ...{ loadings: [{ id: loading }], discharges: [{ id: discharge }], uom: m3, obq: 80, rob: 30 },
      ...{ loadFactor: 1.001, dischargeFactor: 1.002, reason: null },
      shoreToShip: { given: 50000, received: 50050, difference: 50, percent: 0.1, perMille: 1, reason: null },
      transit: { given: 50130, received: 50080, difference: -50, percent: -0.0997 },
      shipToShore: { given: 50050, received: 49900, difference: -150, percent: -0.2997, perMille: -2.997 },
      shoreToShore: { given: 50000, received: 49900, difference: -100, percent: -0.2, perMille: -2 },
      onBoard: { given: 80, received: 30, difference: -50, percent: -62.5 },
      theoreticalLoaded: { given: 50000, received: 50000, difference: 0 },
      theoreticalDischarged: { given: 49950.0998, received: 49900, difference: -50.0998 },
    });
    const none = await analysis(loading);
    expect([none.loadFactor, none.theoreticalLoaded.received]).toEqual([null, null]);
    expect(none.theoreticalLoaded.reason).toMatch(/^There is no load factor: \d voyages? qualif/);
    expect(none.reason).toBe(`${none.theoreticalLoaded.reason} ${none.theoreticalDischarged.reason}`);
  });

  it('without a loading uses the bill of lading, and names what is missing', async () => {
    const discharge = await jobWith(
      { activity: 'discharge', tripNumber: '046N' },
      [figure('TCV', 1000)],
      [figure('TCV', 6283.5, { name: 'bbl' })],
    );
    const path = `/workspaces/${workspace.id}/jobs/${discharge}/load-port-information`;
    await service.ask('POST', path, { as: 'vendor', body: { measurements: [figure('TCV', 1002)] } });
    const found = await analysis(discharge);
    // 6283.5 bbl × 0.158987294928 = 998.996668 m³
    expect(found).toMatchObject({
      ...{
        loadings: [],
        uom: m3,
        obq: null,
        rob: 0,
        reason: expect.stringMatching(/^There is no loading\. There is no load/),
      },
      shoreToShore: { given: 1002, received: 998.996668, difference: -3.003332, percent: -0.2997, reason: null },
      shipToShore: { given: 1000, received: 998.996668 },
      transit: { given: null, received: 1000, difference: null, reason: 'There is no loading.' },
      shoreToShip: { given: 1002, received: null, reason: 'There is no loading.' },
      onBoard: { given: null, received: 0, reason: 'There is no loading.' },
    });
  });

  it('adds up grades, but never units that do not convert', async () => {
    const trip = { tripNumber: '047N' };
    const gasoil = await jobWith({ activity: 'load', ...trip }, [figure('TCV', 1001)], [figure('TCV', 1000)]);
    await jobWith({ activity: 'load', ...trip }, [figure('TCV', 501), figure('OBQ', 1)], [figure('TCV', 500)]);
    expect(await analysis(gasoil)).toMatchObject({
      ...{ loadings: { length: 2 }, obq: 1 },
      shoreToShip: { given: 1500, received: 1501, difference: 1 },
      shoreToShore: { given: 1500, received: null, reason: 'There is no discharge.' },
    });
    await jobWith(
      { activity: 'load', ...trip },
      [figure('TCV', 9, { name: 'tonnes' })],
      [figure('TCV', 9, { name: 'tonnes' })],
    );
    const { shoreToShip } = await analysis(gasoil);
    expect(shoreToShip).toMatchObject({ given: null, received: null, reason: expect.stringContaining('density') });
  });

  it('has no OBQ and no ROB of a voyage while a grade lacks the report of the vessel', async () => {
    const trip = { tripNumber: '051N', transports: [{ name: 'MT Garganey' }] };
    const loading = await jobWith({ activity: 'load', ...trip }, [figure('TCV', 1001), figure('OBQ', 1)], []);
    await jobWith({ activity: 'load', ...trip }, [figure('OBQ', 2)], []);
    await jobWith({ activity: 'discharge', ...trip }, [figure('TCV', 900)], []);
    expect(await analysis(loading)).toMatchObject({ obq: 3, rob: 0, onBoard: { difference: -3 } });
    await jobWith({ activity: 'load', ...trip }, [], []);
    await jobWith({ activity: 'discharge', ...trip }, [], []);
    const reason = 'There is no TCV of the vessel.';
    expect(await analysis(loading)).toMatchObject({ obq: null, rob: null, onBoard: { difference: null, reason } });
  });

  it('never counts the cargo of another port twice: gives a reason when quantities on board are at several places', async () => {
    const at = (
      activity: 'load' | 'discharge',
      place: string | undefined,
      [tcv = 0, onBoard = 0, shore = 0]: number[],
    ) =>
      jobWith(
        {
          ...{ activity, tripNumber: '048N', transports: [{ name: 'MT Sanderling' }] },
          ...(place !== undefined && { location: { name: place } }),
        },
        [figure('TCV', tcv), figure(activity === 'load' ? 'OBQ' : 'ROB', onBoard)],
        [figure('TCV', shore)],
      );
    // One cargo of 99900 on arrival, of which 39900 go ashore at one port, and 60000 at the next.
    const loading = await at('load', 'Ras Tanura', [100_000, 0, 100_000]);
    const first = await at('discharge', 'Rotterdam', [99_900, 60_000, 39_850]);
    await at('discharge', 'Hamburg', [60_000, 0, 59_900]);
    const apart = (jobs: string) =>
      `The ${jobs} do not name one place: what was on board at each of them is not added up.`;
    const found = await analysis(loading, { loadFactor: 1, dischargeFactor: 1 });
    expect(await analysis(first, { loadFactor: 1, dischargeFactor: 1 })).toEqual(found);
    expect(found).toMatchObject({
      ...{ discharges: { length: 2 }, obq: 0, rob: null, reason: apart('discharges') },
      transit: { given: 100_000, received: null, difference: null, percent: null, reason: apart('discharges') },
      onBoard: { given: 0, received: null, difference: null, reason: apart('discharges') },
      shipToShore: { given: 99_900, received: 99_750, difference: -150 },
      shoreToShore: { given: 100_000, received: 99_750, difference: -250 },
      theoreticalDischarged: { given: 99_900, received: 99_750, difference: -150 },
    });
    // What is loaded at the second port comes on top of the first cargo.
    await at('load', undefined, [120_000, 100_000, 20_010]);
    expect(await analysis(loading)).toMatchObject({
      ...{ loadings: { length: 2 }, obq: null },
      shoreToShip: { given: 120_010, received: 120_000, difference: -10 },
      transit: { given: null, received: null, reason: apart('loadings') },
      onBoard: { given: null, reason: apart('loadings') },
    });
    // A figure missing at a third port is not zero: the rest may go on to another port.
    const third = { transports: [{ name: 'MT Sanderling' }], location: { name: 'Brake' }, tripNumber: '048N' };
    await jobWith({ ...third, activity: 'discharge' }, [figure('TCV', 500)], [figure('TCV', 500)]);
    expect(await analysis(loading)).toMatchObject({
      shipToShore: { given: null, reason: expect.stringMatching(/^The discharges .* not each of them reports ROB/) },
      shoreToShore: { received: 100_250 },
    });
  });

  it('adds up the grades of one place, whichever of its synonyms they name', async () => {
    const grade = (place: string, tcv: number) =>
      jobWith(
        { activity: 'load', tripNumber: '049N', location: { name: place } },
        [figure('TCV', tcv)],
        [figure('TCV', tcv)],
      );
    const [gasoil] = [await grade('Antwerp', 100), await grade('Antwerp', 50), await grade('Antwerpen', 25)];
    expect((await analysis(gasoil)).transit.given).toBeNull();
    const query = `query P($w: UUID!) { catalogRecords(workspace: $w, catalog: "locations",
      where: { name: { contains: "Antwerp" } }) { nodes { id } } }`;
    const { body } = await service.graphql(query, { w: workspace.id });
    const [one, other] = body.data.catalogRecords.nodes;
    const link = `/v2/workspaces/${workspace.id}/xrefs/locations/${one.id}/synonyms/${other.id}`;
    expect((await service.ask('POST', link, { as: 'vendor' })).status).toBeLessThan(300);
    expect(await analysis(gasoil)).toMatchObject({ obq: 0, transit: { given: 175, reason: 'There is no discharge.' } });
  });

  it('assumes no unit: a quantity on board without one is no figure, as in the factor of the vessel', async () => {
    const query = `query Voyage($job: UUID!) { job(id: $job) { transports { experienceFactor(minimum: 1) {
      load { used { vessel ratio } leftOut { code reason } }
    } } } }`;
    const loading = async (vessel: string, obq: number) => {
      const transports = [{ name: vessel }];
      const job = await jobWith(
        { activity: 'load', transports },
        [figure('TCV', 1002), { name: 'OBQ', value: obq }],
        [figure('TCV', 1000)],
      );
      const { body } = await service.graphql(query, { job });
      return { found: await analysis(job), factor: body.data.job.transports[0].experienceFactor.load };
    };
    const reason = 'A unit of measure is missing.';
    expect(await loading('MT Skua', 12.58)).toMatchObject({
      found: { obq: null, shoreToShip: { received: null, reason } },
      factor: { used: [], leftOut: [{ code: 'MISSING_FIGURE', reason }] },
    });
    expect(await loading('MT Whimbrel', 0)).toMatchObject({
      found: { obq: 0, shoreToShip: { received: 1002, reason: null } },
      factor: { used: [{ vessel: 1002, ratio: 1.002 }], leftOut: [] },
    });
  });

  it('says once why each of its own figures is null, after what is wrong with the trip', async () => {
    const job = await jobWith({ activity: 'discharge', transports: [{ name: 'MT Dunlin' }] }, [], []);
    expect((await analysis(job, { dischargeFactor: 1 })).reason).toBe(
      [
        'The job has no trip number: it stands alone.',
        'There is no loading.',
        'There is no TCV of the vessel.',
        'There is no load factor: 0 voyages qualify, and at least 5 are needed.',
      ].join(' '),
    );
  });

  it('uses the factor from the other voyages of the vessel', async () => {
    const vessel = { transports: [{ name: 'MT Ternwick' }] };
    for (const tripNumber of ['1', '2', '3', '4', '5']) {
      await jobWith({ activity: 'load', ...vessel, tripNumber }, [figure('TCV', 1002)], [figure('TCV', 1000)]);
    }
    const last = await jobWith(
      { activity: 'load', ...vessel, tripNumber: '6' },
      [figure('TCV', 1003.002)],
      [figure('TCV', 1000)],
    );
    const { loadFactor, theoreticalLoaded } = await analysis(last);
    // 1003.002 ÷ 1.002 = 1001
    expect([loadFactor, theoreticalLoaded.received, theoreticalLoaded.difference]).toEqual([1.002, 1001, 1]);
  });

  it('is of one vessel, and refuses nonsensical arguments', async () => {
    const two = await jobWith({ activity: 'load', transports: [{ name: 'MT A' }, { name: 'MT B' }] }, [], []);
    expect((await analysis(two)).reason).toMatch(/^The job names 2 vessels: no voyage is that of one\. /);
    const { body } = await service.graphql(VOYAGE_QUERY, {
      job: two,
      loadFactor: 1e-320,
      dischargeFactor: -1,
      measurement: ' ',
    });
    const { code, errors } = body.errors[0].extensions;
    expect([code, errors.length]).toEqual(['INVALID_INPUT', 3]);
  });

  it('gives a reason instead of figures for amounts that no report can mean', async () => {
    const job = await jobWith(
      { activity: 'load', transports: [{ name: 'MT Odd' }], tripNumber: 'odd' },
      [figure('TCV', 1e308)],
      [figure('TCV', 1e-300)],
    );
    const { shoreToShip } = await analysis(job);
    expect(shoreToShip).toMatchObject({ given: null, received: null, percent: null });
    expect(shoreToShip.reason).toContain('is no amount');
  });
});
