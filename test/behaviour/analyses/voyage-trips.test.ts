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
});
