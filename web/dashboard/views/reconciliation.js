import {
  COLORS,
  counted,
  DATES,
  day,
  isolated,
  LEFT,
  labelOf,
  lyingBars,
  momentOf,
  named,
  noteOf,
  ofCreated,
  ofNewest,
  rounded,
  share,
  tip,
  vesselsOf,
  withSynonyms,
} from './show.js';

/** @import { DashboardReconciliationQuery } from '../operations.d.ts' */

const ROUTES = 8;

/** Ship against shore, job by job, in the band of tolerance; and losses by route. @param {DashboardReconciliationQuery} data @param {boolean} isOfRecords */
export function reconciliationView({ jobs, workspace }, isOfRecords) {
  const compared = jobs.nodes.flatMap((job) => {
    const { transfer, tolerance } = job.quantityReconciliation;
    const figure =
      transfer.find(({ code, percent }) => code === 'TCV' && percent !== null) ??
      transfer.find(({ percent }) => percent !== null);
    return figure ? [{ job, figure, tolerance: tolerance.percent }] : [];
  });
  if (compared.length === 0)
    return {
      title: 'Nothing to reconcile',
      empty:
        'No complete job has quantities of both sides. Wait for the vendor’s quantity results, or choose a longer period.',
    };
  const beyond = compared.filter(({ figure }) => figure.isWithinTolerance === false);
  const bands = [...new Set(compared.map(({ tolerance }) => tolerance).filter((percent) => percent !== null))];
  const band = Math.max(...bands);
  const limit = bands.length === 1 ? `±${band} %` : 'its tolerance';
  const routes = (workspace?.statistics.losses?.routes ?? [])
    .filter(({ percent }) => percent !== null)
    .toSorted((a, b) => (b.percent ?? 0) - (a.percent ?? 0))
    .map((route) => ({
      ...route,
      name: `${isolated(named(route.from) ?? '?')} → ${isolated(named(route.to) ?? '?')}`,
    }));
  const [worst] = routes;
  const created = workspace ? ofCreated(workspace.statistics) : '';
  const said = beyond.map(({ job, figure }) => `${isolated(labelOf(job))} ${rounded(figure.percent, 3)} %`).join(', ');
  return {
    title: share(beyond.length, compared.length, 'job', {
      one: `is beyond ${limit}`,
      many: `are beyond ${bands.length === 1 ? limit : 'their tolerances'}`,
      notOne: `is within ${limit}`,
    }),
    note: noteOf(
      worst && (worst.percent ?? 0) > 0
        ? `Largest loss by route: ${worst.name}, ${rounded(worst.percent, 3)} % over ${counted(worst.jobs, 'job')}, ${created}.`
        : undefined,
      withSynonyms(isOfRecords),
      ofNewest(jobs, 'are compared'),
    ),
    pictures: [
      {
        caption: 'Ship against shore by job',
        text: `Each job as a point: received less given in percent of given, by ETA; the band is the tolerance. ${beyond.length === 0 ? 'All are inside.' : `Outside: ${said}.`}`,
        keys: [
          { name: 'within tolerance', color: COLORS.good },
          { name: 'beyond', color: COLORS.bad },
        ],
        option: {
          xAxis: DATES,
          yAxis: { type: 'value', name: 'received − given, % of given', nameTextStyle: LEFT, scale: true },
          tooltip: { trigger: 'item', confine: true, formatter: ({ data }) => data.tip },
          series: [
            {
              type: 'scatter',
              symbolSize: 12,
              data: compared.map(({ job, figure }) => ({
                value: [momentOf(job.eta), rounded(figure.percent, 3)],
                job: job.id,
                tip: tip(
                  `${isolated(labelOf(job))} ${isolated(vesselsOf(job))}`,
                  `${rounded(figure.percent, 3)} % (${rounded(figure.difference, 1)?.toLocaleString('en')} ${isolated(figure.symbol ?? '')} ${isolated(figure.code ?? '')})`,
                ),
                symbol: figure.isWithinTolerance ? 'circle' : 'diamond',
                itemStyle: { color: figure.isWithinTolerance ? COLORS.good : COLORS.bad },
              })),
              markArea: {
                silent: true,
                itemStyle: { color: 'rgba(63, 143, 91, 0.13)' },
                data: [[{ yAxis: -band }, { yAxis: band }]],
              },
            },
          ],
        },
      },
      ...(routes.length === 0
        ? []
        : [
            {
              caption: `Loss between loading and outturn, by route (negative is a gain), ${created}`,
              text: `Bars of losses by route. ${routes
                .slice(0, ROUTES)
                .map(({ name, percent }) => `${name}: ${rounded(percent, 3)} %`)
                .join(', ')}.`,
              ...lyingBars({
                unit: '% of what was loaded',
                color: COLORS.plain,
                bars: routes.slice(0, ROUTES).map(({ name, percent, loss, jobs: count, uom }) => ({
                  name,
                  value: rounded(percent, 3) ?? 0,
                  tip: tip(
                    name,
                    `${rounded(percent, 3)} %, ${rounded(loss, 1)?.toLocaleString('en')} ${isolated(named(uom) ?? '')}`,
                    counted(count, 'job'),
                  ),
                })),
              }),
            },
          ]),
    ],
    tables: [
      {
        name: 'reconciliation',
        caption: 'Ship against shore',
        columns: [
          'Job',
          'Vessel',
          'Place',
          'ETA',
          'Figure',
          'Unit',
          'Given',
          'Received',
          'Difference',
          'Percent',
          'Tolerance ± %',
        ],
        rows: compared.map(({ job, figure, tolerance }) => ({
          job: job.id,
          cells: [
            labelOf(job),
            vesselsOf(job),
            named(job.location),
            day(job.eta),
            figure.code,
            figure.symbol,
            figure.given,
            figure.received,
            rounded(figure.difference, 3),
            rounded(figure.percent, 4),
            tolerance,
          ],
        })),
      },
      {
        name: 'losses-by-route',
        caption: `Losses by route, ${created}`,
        columns: ['From', 'To', 'Jobs', 'Unit', 'Loaded', 'Outturn', 'Loss', 'Loss, %'],
        rows: routes.map(({ from, to, jobs: count, uom, loaded, outturn, loss, percent }) => ({
          cells: [
            named(from),
            named(to),
            count,
            named(uom),
            rounded(loaded, 3),
            rounded(outturn, 3),
            rounded(loss, 3),
            percent,
          ],
        })),
      },
    ],
  };
}
