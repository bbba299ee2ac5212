import {
  below,
  COLORS,
  counted,
  isolated,
  labelOf,
  NAMES,
  named,
  reasonsOf,
  rounded,
  rowHeight,
  tip,
  UNDER,
} from './show.js';

/** @import { DashboardQualityQuery } from '../operations.d.ts' */
/** @import { Cell, Picture, Table } from './show.js' */

/** @typedef {DashboardQualityQuery['jobs']['nodes'][number]} Job */

const VERDICTS = /** @type {const} */ ({
  MEETS: { name: 'meets', color: COLORS.good },
  DOUBTFUL: { name: 'doubtful', color: COLORS.warn },
  FAILS: { name: 'fails', color: COLORS.bad },
});

/** How near a value is to its limits: 100 % is the limit; of a minimum the inverse. Null where there is no percentage. @param {{ value: number, minimum: number | null, maximum: number | null }} parts */
function ofLimit({ value, minimum, maximum }) {
  const [least, most] = [minimum ?? 0, maximum ?? 0];
  if (value < 0 || (value === 0 && least > 0)) return null;
  const shares = [...(most > 0 ? [value / most] : []), ...(least > 0 ? [least / value] : [])];
  return shares.length === 0 ? null : rounded(100 * Math.max(...shares), 2);
}

/**
 * The limits of jobs: those that a value was held against, of these the ones that can be drawn, and those that are open.
 * @param {readonly Job[]} jobs
 */
export function limitsOf(jobs) {
  const all = jobs.flatMap((job) => job.conformity.map((found) => ({ job, ...found })));
  const limits = all.flatMap((found) => {
    if (found.assignedValue === null || found.conformity === null) return [];
    const value = found.assignedValue;
    return [{ ...found, value, verdict: found.conformity, share: ofLimit({ ...found, value }) }];
  });
  return {
    limits,
    points: limits.filter(({ share }) => share !== null),
    open: all.filter(
      ({ conformity, minimum, maximum }) => conformity === null && (minimum !== null || maximum !== null),
    ),
  };
}
/** @typedef {ReturnType<typeof limitsOf>} Limits */

/** Says so where limits are open. @param {Limits['open']} open */
export const ofOpen = (open) =>
  open.length > 0
    ? `${counted(open.length, 'limit has', 'limits have')} no verdict: ${reasonsOf(open.map(({ reason }) => reason))}`
    : undefined;

/** Values in percent of their limits. @param {Limits['points']} points @returns {Picture[]} */
export function limitsPictures(points) {
  if (points.length === 0) return [];
  const names = [...new Set(points.map(({ test }) => named(test) ?? '?'))];
  return [
    {
      caption: 'Values found against the limits of the specification (a minimum is inverted)',
      height: Math.max(140, rowHeight(names, 36) * names.length + 80),
      text: `Each value as a point, in percent of its limit; beyond 100 % it is on the wrong side. ${counted(points.filter(({ verdict }) => verdict === 'FAILS').length, 'value fails', 'values fail')}, ${points.filter(({ verdict }) => verdict === 'DOUBTFUL').length} doubtful, of ${points.length}.`,
      keys: Object.values(VERDICTS),
      option: {
        grid: UNDER,
        xAxis: {
          type: 'value',
          ...below('% of the limit'),
          scale: true,
          min: ({ min }) => Math.max(0, Math.ceil(min / 5) * 5 - 5),
          max: ({ max }) => Math.max(105, Math.ceil(max / 5) * 5),
        },
        yAxis: { type: 'category', inverse: true, data: names, axisLabel: NAMES },
        tooltip: { trigger: 'item', confine: true, formatter: ({ data }) => data.tip },
        series: [
          {
            type: 'scatter',
            symbolSize: 12,
            data: points.map(({ job, test, uom, value, share, verdict, minimum, maximum }) => ({
              value: [share, named(test) ?? '?'],
              job: job.id,
              tip: tip(
                labelOf(job),
                `${isolated(named(test) ?? '?')}: ${value} ${isolated(named(uom) ?? '')}, ${VERDICTS[verdict].name}`,
                [minimum !== null && `minimum ${minimum}`, maximum !== null && `maximum ${maximum}`]
                  .filter(Boolean)
                  .join(', '),
              ),
              symbol: verdict === 'MEETS' ? 'circle' : 'diamond',
              itemStyle: { color: VERDICTS[verdict].color },
            })),
            markLine: { silent: true, symbol: 'none', label: { show: false }, data: [{ xAxis: 100 }] },
          },
        ],
      },
    },
  ];
}

/** @param {Limits['limits']} limits @param {Limits['open']} open @returns {Table} */
export const limitsTable = (limits, open) => ({
  name: 'limits',
  caption: 'Against limits',
  columns: [
    ...['Job', 'Specification', 'Test', 'Sample', 'Value', 'Unit', 'Minimum', 'Maximum'],
    ...['Verdict', '% of limit', 'No verdict because'],
  ],
  rows: [
    ...limits.map((limit) => rowOf(limit, [VERDICTS[limit.verdict].name, limit.share, null])),
    ...open.map((limit) => rowOf(limit, [null, null, limit.reason])),
  ],
});

/** @param {Limits['open'][number]} limit @param {Cell[]} rest */
const rowOf = ({ job, test, location, assignedValue, uom, minimum, maximum }, rest) => ({
  job: job.id,
  cells: [
    labelOf(job),
    named(job.specification),
    named(test),
    location,
    assignedValue,
    named(uom),
    minimum,
    maximum,
    ...rest,
  ],
});
