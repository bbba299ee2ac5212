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
  reasonsOf,
  rounded,
  share,
  timed,
  tip,
  vesselsOf,
  withoutEta,
  withSynonyms,
} from './show.js';

/** @import { DashboardReconciliationQuery } from '../operations.d.ts' */

const ROUTES = 8;

/** Whether a difference is accepted; of a tolerance that is no percentage it is not known. */
const VERDICTS = /** @type {const} */ ({
  within: { name: 'within tolerance', color: COLORS.good, symbol: 'circle' },
  beyond: { name: 'beyond', color: COLORS.bad, symbol: 'diamond' },
  unknown: { name: 'tolerance unknown', color: COLORS.warn, symbol: 'triangle' },
});
/** @param {{ isWithinTolerance: boolean | null }} figure @returns {keyof typeof VERDICTS} */
const verdictOf = ({ isWithinTolerance }) =>
  isWithinTolerance === null ? 'unknown' : isWithinTolerance ? 'within' : 'beyond';

/** Ship against shore, job by job, in the band of tolerance; and losses by route. @param {DashboardReconciliationQuery} data @param {boolean} isOfRecords */
export function reconciliationView({ jobs, workspace }, isOfRecords) {
  const read = jobs.nodes.map((job) => {
    const { transfer, tolerance, reason } = job.quantityReconciliation;
    const figure = figureOf(transfer);
    return { job, figure, tolerance: tolerance.percent, reason: figure ? figure.reason : reason };
  });
  const compared = read.flatMap(({ figure, ...row }) =>
    figure && figure.percent !== null ? [{ ...row, figure, verdict: verdictOf(figure) }] : [],
  );
  const others = read.filter(({ figure }) => (figure?.percent ?? null) === null);
  const why = reasonsOf(others.map(({ reason }) => reason));
  if (compared.length === 0)
    return {
      title: 'Nothing to reconcile',
      empty: others.some(({ figure }) => figure)
        ? `No complete job has quantities that can be compared. ${why}`
        : 'No complete job has quantities of both sides. Wait for the vendor’s quantity results, or choose a longer period.',
      tables: [tableOf(read)],
    };
  const of = (/** @type {keyof typeof VERDICTS} */ wanted) => compared.filter(({ verdict }) => verdict === wanted);
  const [beyond, unknown] = [of('beyond'), of('unknown')];
  const judged = compared.length - unknown.length;
  const which = unknown.length > 0 ? 'whose tolerance is known ' : others.length > 0 ? 'that can be compared ' : '';
  const bands = [...new Set(compared.map(({ tolerance }) => tolerance).filter((percent) => percent !== null))];
  const band = Math.max(...bands);
  /** Around zeros alone ECharts draws an axis from 0 to 1. */
  const areZero = compared.every(({ figure }) => rounded(figure.percent, 3) === 0);
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
  const said = (/** @type {typeof compared} */ some) =>
    some.map(({ job, figure }) => `${isolated(labelOf(job))} ${rounded(figure.percent, 3)} %`).join(', ');
  return {
    title:
      judged === 0
        ? `No tolerance is known for ${compared.length === 1 ? 'the only job' : `any of ${counted(compared.length, 'job')}`}`
        : share(beyond.length, judged, 'job', {
            one: `${which}is beyond ${limit}`,
            many: `${which}are beyond ${bands.length === 1 ? limit : 'their tolerances'}`,
            notOne: `${which}is within ${limit}`,
          }),
    note: noteOf(
      unknown.length > 0
        ? `${counted(unknown.length, 'job has', 'jobs have')} a tolerance that is not a percentage, and ${unknown.length === 1 ? 'is' : 'are'} neither within nor beyond it: ${said(unknown)}.`
        : undefined,
      others.length > 0
        ? `${others.length.toLocaleString('en')} of ${counted(read.length, 'job')} cannot be compared: ${why}`
        : undefined,
      withoutEta(compared.map(({ job }) => job)),
      worst && (worst.percent ?? 0) > 0
        ? `Largest loss by route: ${worst.name}, ${rounded(worst.percent, 3)} % over ${counted(worst.jobs, 'job')}, ${created}.`
        : undefined,
      withSynonyms(isOfRecords),
      ofNewest(jobs, 'are compared'),
    ),
    pictures: [
      {
        caption: 'Ship against shore by job',
        text: `Each job as a point: received less given in percent of given, by ETA; the band is the tolerance. ${[beyond.length > 0 && `Outside: ${said(beyond)}.`, beyond.length === 0 && judged > 0 && `All ${which}are inside.`, unknown.length > 0 && `Of unknown tolerance: ${said(unknown)}.`].filter(Boolean).join(' ')}`,
        keys: [VERDICTS.within, VERDICTS.beyond, ...(unknown.length > 0 ? [VERDICTS.unknown] : [])],
        option: {
          xAxis: DATES,
          yAxis: {
            type: 'value',
            name: 'received − given, % of given',
            nameTextStyle: LEFT,
            scale: true,
            ...(areZero && band > 0 && { min: -band, max: band }),
          },
          tooltip: { trigger: 'item', confine: true, formatter: ({ data }) => data.tip },
          series: [
            {
              type: 'scatter',
              symbolSize: 12,
              data: compared.map(({ job, figure, verdict }) => ({
                value: [momentOf(job.eta), rounded(figure.percent, 3)],
                job: job.id,
                tip: tip(
                  `${isolated(labelOf(job))} ${isolated(vesselsOf(job))}`,
                  `${rounded(figure.percent, 3)} % (${rounded(figure.difference, 1)?.toLocaleString('en')} ${isolated(figure.symbol ?? '')} ${isolated(labelled(figure) ?? '')})`,
                  figure.reason,
                ),
                symbol: VERDICTS[verdict].symbol,
                itemStyle: { color: VERDICTS[verdict].color },
              })),
              markArea: {
                silent: true,
                itemStyle: { color: 'rgba(63, 143, 91, 0.13)' },
                data: bands.length === 0 ? [] : [[{ yAxis: -band }, { yAxis: band }]],
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
      tableOf(read),
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

/** Volumes of the whole cargo at a standard temperature. */
const JUDGED = ['tcv', 'gsv', 'nsv'];
/** What is only a part of what was measured, and differs by much even where no cargo is lost. */
const PARTS = ['fw', 'obq', 'rob', 's&w', 'sw'];
/** Code and name of a figure as the service compares them. @param {Figure} figure */
const calledBy = ({ code, name }) => [code, name].map((text) => text?.trim().toLowerCase() ?? '');

/** The figure by which a job is judged: TCV, GSV or NSV, or the first that can be compared. @param {readonly Figure[]} transfer */
const figureOf = (transfer) => {
  const whole = transfer.filter((figure) => !PARTS.some((part) => calledBy(figure).includes(part)));
  const all = whole.length > 0 ? whole : transfer;
  const known = all.filter(({ percent }) => percent !== null);
  const among = known.length > 0 ? known : all;
  const judged = JUDGED.flatMap((called) =>
    [0, 1].map((at) => among.find((figure) => calledBy(figure)[at] === called)),
  );
  return judged.find((figure) => figure !== undefined) ?? among[0];
};
/** @typedef {Read['quantityReconciliation']['transfer'][number]} Figure */
/** @param {Figure} figure */
const labelled = ({ code, name }) => code ?? name;

/** @typedef {DashboardReconciliationQuery['jobs']['nodes'][number]} Read */

/** @param {{ job: Read, figure: ReturnType<typeof figureOf>, tolerance: number | null, reason: string | null }[]} read */
const tableOf = (read) => ({
  name: 'reconciliation',
  caption: 'Ship against shore',
  columns: [
    ...['Job', 'Vessel', 'Place', 'ETA', 'Figure', 'Unit', 'Given', 'Received'],
    ...['Difference', 'Percent', 'Tolerance ± %', 'Unknown because'],
  ],
  rows: read.map(({ job, figure, tolerance, reason }) => ({
    job: job.id,
    cells: [
      labelOf(job),
      vesselsOf(job),
      named(job.location),
      timed(day(job.eta)),
      figure && labelled(figure),
      figure?.symbol,
      figure?.given,
      figure?.received,
      rounded(figure?.difference, 3),
      rounded(figure?.percent, 4),
      tolerance,
      reason,
    ],
  })),
});
