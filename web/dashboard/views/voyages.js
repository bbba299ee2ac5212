import {
  ASIDE,
  below,
  COLORS,
  counted,
  day,
  isolated,
  labelOf,
  NAMES,
  named,
  rounded,
  share,
  timed,
  tip,
  UNDER,
  vesselsOf,
} from './show.js';

/** @import { DashboardVoyagesQuery } from '../operations.d.ts' */

const SHOWN = 10;
const PARTS = /** @type {const} */ ([
  { key: 'shoreToShip', name: 'loading: shore → ship', color: COLORS.plain },
  { key: 'transit', name: 'under way: departure → arrival', color: COLORS.bad },
  { key: 'shipToShore', name: 'discharge: ship → shore', color: COLORS.warn },
]);

/** Voyages by what they lost under way, the largest loss first, and where else they lost. @param {DashboardVoyagesQuery} data */
export function voyagesView({ jobs }) {
  const voyages = voyagesOf(jobs.nodes);
  const known = voyages
    .filter(({ transit }) => transit.percent !== null)
    .toSorted((a, b) => (a.transit.percent ?? 0) - (b.transit.percent ?? 0));
  const unknown = voyages.filter(({ transit }) => transit.percent === null);
  const looked = `${counted(voyages.length, 'voyage')} of the newest ${counted(jobs.nodes.length, 'complete discharge')}${jobs.totalCount > jobs.nodes.length ? ` (of ${jobs.totalCount.toLocaleString('en')}; choose a period to look at others)` : ''}`;
  const tables = [tableOf([...known, ...unknown])];
  if (voyages.length === 0)
    return {
      title: 'No voyages',
      empty: 'No complete discharge fits the filters. Choose a longer period, or another vessel, product or place.',
    };
  const [worst] = known;
  if (!worst)
    return {
      title: 'No voyage can be followed from departure to arrival',
      note: `Looked at: ${looked}. ${isolated(unknown[0]?.transit.reason ?? '')}`,
      empty:
        'A voyage needs the vessel’s figures of a loading and of a discharge with the same vessel and trip number.',
      tables,
    };
  const shown = known.slice(0, SHOWN);
  const names = shown.map(({ lines }) => lines);
  const loss = worst.transit.percent ?? 0;
  return {
    title:
      loss < 0
        ? `${worst.name} lost ${rounded(-loss, 3)} % under way${known.length > 1 ? `, the most of ${known.length} voyages` : ''}`
        : share(0, known.length, 'voyage', {
            one: 'lost cargo under way',
            many: '',
            notOne: 'lost no cargo under way',
          }),
    note: `Looked at: ${looked}; ${known.length} with figures of departure and arrival. Choose a bar or a voyage of the table for its figures.`,
    pictures: [
      {
        caption: `Gain or loss by part of the voyage${known.length > SHOWN ? `, the ${SHOWN} largest losses under way` : ''}`,
        height: 72 * shown.length + 70,
        text: `Each voyage as three bars, in percent of what was given; a loss is negative. ${shown.map(({ name, parts }) => `${name}: ${PARTS.map((part, index) => `${part.name} ${rounded(parts[index]?.percent, 3) ?? 'unknown'} %`).join(', ')}`).join('; ')}.`,
        keys: PARTS.map(({ name, color }) => ({ name, color })),
        option: {
          grid: UNDER,
          xAxis: { type: 'value', ...below('received − given, % of given') },
          yAxis: {
            type: 'category',
            inverse: true,
            data: names,
            axisLine: ASIDE,
            axisLabel: NAMES,
          },
          tooltip: { trigger: 'item', confine: true, formatter: ({ data }) => data.tip },
          series: PARTS.map(({ name, color }, index) => ({
            type: 'bar',
            barMaxWidth: 12,
            itemStyle: { color },
            data: shown.map(({ job, name: voyage, parts, uom }) => {
              const part = parts[index];
              return {
                value: rounded(part?.percent, 3),
                job: job.id,
                tip: tip(
                  voyage,
                  `${name}: ${rounded(part?.percent, 3)} %, ${rounded(part?.difference, 1)?.toLocaleString('en')} ${isolated(named(uom) ?? '')}`,
                ),
              };
            }),
          })),
        },
      },
    ],
    tables,
  };
}

/** The voyages of discharges, each once. @param {DashboardVoyagesQuery['jobs']['nodes']} discharges */
function voyagesOf(discharges) {
  const met = new Set();
  return discharges.flatMap((job) => {
    if (met.has(job.id)) return [];
    const { voyageAnalysis: voyage, ...rest } = job;
    for (const { id } of voyage.discharges) met.add(id);
    const from = [...new Set(voyage.loadings.map(({ location }) => named(location) ?? '?'))].join(', ');
    const who = `${isolated(vesselsOf(job) || labelOf(job))}${job.tripNumber ? ` ${isolated(job.tripNumber)}` : ''}`;
    const where = from ? [`${isolated(from)} → ${isolated(named(job.location) ?? '?')}`] : [];
    const said = [who, ...where];
    const { transit, uom, shoreToShore } = voyage;
    return [
      {
        job: rest,
        name: said.join(', '),
        lines: said.join('\n'),
        from,
        uom,
        transit,
        shoreToShore,
        parts: PARTS.map(({ key }) => voyage[key]),
      },
    ];
  });
}

/** @param {ReturnType<typeof voyagesOf>} voyages */
const tableOf = (voyages) => ({
  name: 'voyages',
  caption: 'Voyages, the largest loss under way first (negative is a loss)',
  columns: [
    ...['Discharge', 'Vessel', 'Trip', 'From', 'To', 'ETA'],
    ...['Under way, %', 'Loading, %', 'Discharge, %', 'Shore to shore, %', 'Shore to shore', 'Unit'],
    'Under way is unknown because',
  ],
  rows: voyages.map(({ job, from, uom, transit, shoreToShore, parts: [loading, , discharge] }) => ({
    job: job.id,
    cells: [
      labelOf(job),
      vesselsOf(job),
      job.tripNumber,
      from,
      named(job.location),
      timed(day(job.eta)),
      rounded(transit.percent, 4),
      rounded(loading?.percent, 4),
      rounded(discharge?.percent, 4),
      rounded(shoreToShore.percent, 4),
      rounded(shoreToShore.difference, 3),
      named(uom),
      transit.percent === null ? transit.reason : null,
    ],
  })),
});
