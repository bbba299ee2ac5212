import { describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { allCounted } from '../../statistics/all-counted.ts';
import { jobReports } from './job-reports.ts';

const service = serviceFixture({ counts: true });
const workspace = workspaceFixture(service);
const post = jobReports(service, workspace);

type Labels = readonly [code: string | undefined, name: string | undefined];
type Figures = readonly (readonly [...Labels, value: number])[];

const measured = (figures: Figures) =>
  figures.map(([code, name, value]) => ({ ...(code && { code }), ...(name && { name }), value, uom: { name: 'm3' } }));

const QUERY = `query LossOfCargo($workspace: UUID!, $location: UUID!, $job: UUID!) {
  workspace(id: $workspace) { statistics(location: $location) { losses { routes { loss } leftOut { reason } } } }
  job(id: $job) {
    quantityReconciliation { outturn { code name difference reason } }
    voyageAnalysis(measurement: "GSV") { shoreToShore { difference } }
  }
}`;

let ports = 0;

/** The loss of one cargo by each calculation, and its reconciliation. */
async function lossOf(loaded: Figures, outturn: Figures) {
  ports += 1;
  const job = await post('', { activity: 'discharge', location: { name: `Port ${ports}` } });
  await post(`/${job}/load-port-information`, { measurements: measured(loaded) });
  await post(`/${job}/quantity`, { direction: 'destination', measurements: measured(outturn) });
  await allCounted(service);
  const { body: placed } = await service.graphql('query Place($job: UUID!) { job(id: $job) { location { id } } }', {
    job,
  });
  const location = placed.data.job.location.id;
  const { body } = await service.graphql(QUERY, { workspace: workspace.id, location, job });
  expect(body.errors).toBeUndefined();
  const { routes, leftOut } = body.data.workspace.statistics.losses;
  expect(leftOut).toEqual([]);
  return {
    statistics: routes[0].loss,
    voyage: body.data.job.voyageAnalysis.shoreToShore.difference,
    outturn: body.data.job.quantityReconciliation.outturn,
  };
}

describe('the loss of a cargo', () => {
  it('is the same in statistics, reconciliation and voyage analysis: a code matches the name of a figure without a code', async () => {
    const { outturn, ...losses } = await lossOf([['GSV', undefined, 101]], [[undefined, 'gsv ', 99]]);
    expect(losses).toEqual({ statistics: 2, voyage: -2 });
    expect(outturn).toEqual([{ code: 'GSV', name: null, difference: -2, reason: null }]);
  });

  it("is the same when a figure's name is the code of another: the code takes precedence", async () => {
    const figures = (gsv: number, other: number): Figures => [
      ['GSV', 'Volume', gsv],
      ['11', 'GSV', other],
    ];
    const { outturn, ...losses } = await lossOf(figures(1000, 900), figures(990, 891));
    expect(losses).toEqual({ statistics: 10, voyage: -10 });
    expect(outturn).toMatchObject([
      { code: 'GSV', difference: -10 },
      { code: '11', difference: -9 },
    ]);
  });

  it('is the same when a figure without a code has the name of the cargo, in any order', async () => {
    const outturn: Figures = [
      ['GSV', 'Gross', 990],
      [undefined, 'gross', 985],
    ];
    for (const order of [outturn, outturn.toReversed()]) {
      const { outturn: compared, ...losses } = await lossOf([['GSV', 'Gross', 1000]], order);
      expect(losses).toEqual({ statistics: 10, voyage: -10 });
      expect(compared).toEqual([
        { code: 'GSV', name: 'Gross', difference: -10, reason: null },
        { code: null, name: 'gross', difference: null, reason: 'The side that gave has no such measurement.' },
      ]);
    }
  });
});
