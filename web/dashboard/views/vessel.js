import { COLORS, counted, DATES, day, isolated, LEFT, labelOf, momentOf, named, rounded, timed, tip } from './show.js';

/** @import { DashboardVesselQuery, FactorFragment, VoyageFragment } from '../operations.d.ts' */

const SIDES = /** @type {const} */ ([
  { key: 'load', name: 'Loading', color: COLORS.plain },
  { key: 'discharge', name: 'Discharge', color: COLORS.others[1] },
]);

/** The room that is left above and below the ratios, so that few voyages are not drawn as if they were far apart. */
const SPREAD = 0.004;
/** @param {number} value @param {(value: number) => number} whole @param {number} by */
const edge = (value, whole, by) => whole((value + by) * 500) / 500;

/** Ratios of ship to shore by voyage, with the band around their mean. @param {DashboardVesselQuery} data */
export function vesselView({ catalogRecord }) {
  const factors = catalogRecord?.experienceFactor;
  const sides = SIDES.flatMap(({ key, ...side }) => {
    const found = factors?.[key];
    return found && found.used.length + found.leftOut.length > 0 ? [{ ...side, ...found }] : [];
  });
  const vessel = isolated(named(catalogRecord) ?? 'The vessel');
  if (sides.length === 0)
    return {
      title: `${vessel} has no voyages to compare`,
      empty: `${factors?.reason ? isolated(factors.reason) : 'No job of it has quantities of ship and shore.'} Choose another vessel in the filters.`,
    };
  const [known, unknown] = [
    sides.filter(({ factor }) => factor !== null),
    sides.filter(({ factor }) => factor === null),
  ];
  const of = (/** @type {typeof sides} */ those) => those.map(({ name }) => name.toLowerCase()).join(' and ');
  const said =
    known.length === 0
      ? `no experience factor of ${of(unknown)} yet`
      : `experience factor ${known.map(({ name, factor }) => `${factor} of ${name.toLowerCase()}`).join(', ')}${unknown.length > 0 ? `, none yet of ${of(unknown)}` : ''}`;
  const leftOut = sides.reduce((sum, side) => sum + side.leftOut.length, 0);
  return {
    title: `${vessel}: ${said}`,
    note: [
      ...sides.flatMap(({ name, reason }) => (reason ? [`${name}: ${isolated(reason)}`] : [])),
      ...(factors?.reason ? [isolated(factors.reason)] : []),
    ].join(' '),
    pictures: [
      {
        caption: 'Vessel ÷ shore by voyage; the band is the mean ± 0.3 %',
        text: `Each voyage as a point, vessel divided by shore, by date. ${sides.map(({ name, factor, used }) => `${name}: factor ${factor ?? 'none'} of ${counted(used.length, 'voyage')}`).join('; ')}; ${leftOut} left out.`,
        keys: [...sides.map(({ name, color }) => ({ name, color })), { name: 'left out (hollow)', color: COLORS.gap }],
        option: {
          xAxis: DATES,
          yAxis: {
            type: 'value',
            min: ({ min }) => edge(min, Math.floor, -SPREAD),
            max: ({ max }) => edge(max, Math.ceil, SPREAD),
            name: 'vessel ÷ shore',
            nameTextStyle: LEFT,
          },
          tooltip: { trigger: 'item', confine: true, formatter: ({ data }) => data.tip },
          series: sides.flatMap((side) => seriesOf(side)),
        },
      },
    ],
    tables: [
      {
        name: 'experience-factor',
        caption: 'Voyages',
        columns: ['Job', 'Side', 'Date', 'Vessel', 'Shore', 'Unit', 'Ratio', 'Left out because'],
        rows: sides.flatMap(({ name, used, leftOut: out, uom }) =>
          [...used.map((voyage) => ({ voyage, reason: null })), ...out].map(({ voyage, reason }) => ({
            job: voyage.job.id,
            cells: [
              labelOf(voyage.job),
              name,
              timed(day(voyage.date)),
              voyage.vessel,
              voyage.shore,
              voyage.vessel === null && voyage.shore === null ? null : named(uom),
              voyage.ratio,
              reason,
            ],
          })),
        ),
      },
    ],
  };
}

/** @param {FactorFragment & { name: string, color: string }} side */
function seriesOf({ name, color, used, leftOut, mean }) {
  const point = (/** @type {VoyageFragment} */ { job, date, ratio }, /** @type {string} */ why) => ({
    value: [momentOf(date), ratio],
    job: job.id,
    tip: tip(labelOf(job), `${name} ${ratio}`, why),
  });
  return [
    {
      type: 'scatter',
      symbolSize: 12,
      itemStyle: { color },
      data: used.map((voyage) => point(voyage, '')),
      ...(mean && {
        markArea: {
          silent: true,
          itemStyle: { color, opacity: 0.13 },
          data: [[{ yAxis: rounded(mean * 0.997, 5) }, { yAxis: rounded(mean * 1.003, 5) }]],
        },
      }),
    },
    {
      type: 'scatter',
      symbol: 'emptyCircle',
      symbolSize: 10,
      itemStyle: { color },
      data: leftOut.filter(({ voyage }) => voyage.ratio !== null).map(({ voyage, reason }) => point(voyage, reason)),
    },
  ];
}
