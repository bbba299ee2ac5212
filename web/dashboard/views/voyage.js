import { COLORS, day, isolated, labelOf, lyingBars, named, rounded, timed, tip } from './show.js';

/** @import { DashboardJobQuery, QuantitiesFragment } from '../operations.d.ts' */
/** @import { Picture, Table } from './show.js' */

/** @typedef {NonNullable<DashboardJobQuery['job']>['voyageAnalysis']} Voyage */

/** What passes from one side to another on a voyage: its parts, then the whole, then the sides as the vessel's factors have them. @param {Voyage} voyage */
const stepsOf = (voyage) => [
  { name: 'Shore loaded → ship', ...voyage.shoreToShip },
  { name: 'Ship on departure → on arrival', ...voyage.transit },
  { name: 'Ship → shore outturn', ...voyage.shipToShore },
  { name: 'Shore loaded → shore outturn', ...voyage.shoreToShore },
  { name: 'Shore loaded → ship by its load factor', ...voyage.theoreticalLoaded },
  { name: 'Ship by its discharge factor → shore outturn', ...voyage.theoreticalDischarged },
];
const PARTS = 3;

/** The largest loss among the parts of a voyage that has several, in words. @param {Voyage} voyage */
export function largestLoss(voyage) {
  const parts = stepsOf(voyage)
    .slice(0, PARTS)
    .filter(({ percent }) => percent !== null)
    .toSorted((a, b) => (a.percent ?? 0) - (b.percent ?? 0));
  const [worst] = parts;
  if (!worst || parts.length < 2 || (worst.percent ?? 0) >= 0) return null;
  return `largest loss of the voyage: ${worst.name}, ${worst.percent} %`;
}

/** What was lost or gained on each part, in the unit of the voyage. @param {Voyage} voyage @returns {Picture[]} */
export function voyagePictures(voyage) {
  const known = stepsOf(voyage)
    .slice(0, PARTS + 1)
    .filter(({ difference }) => difference !== null);
  if (known.length < 2) return [];
  const unit = isolated(named(voyage.uom) ?? '');
  return [
    {
      caption: 'Where cargo was lost on the voyage (negative is a loss)',
      text: `Bars of differences in ${unit}. ${known.map(({ name, difference, percent }) => `${name}: ${rounded(difference, 1)?.toLocaleString('en')} ${unit}, ${rounded(percent, 3)} %`).join('; ')}.`,
      ...lyingBars({
        unit,
        color: COLORS.plain,
        bars: known.map(({ name, difference, percent, given, received }) => ({
          name,
          value: rounded(difference, 1) ?? 0,
          color: (difference ?? 0) < 0 ? COLORS.bad : COLORS.good,
          tip: tip(
            name,
            `${given?.toLocaleString('en')} → ${received?.toLocaleString('en')} ${unit}`,
            `${rounded(percent, 3)} %`,
          ),
        })),
      }),
    },
  ];
}

/** The figures of a voyage: its parts, what was measured on each side of each call, and its calls. @param {Voyage} voyage @returns {Table[]} */
export function voyageTables(voyage) {
  const steps = stepsOf(voyage);
  const calls = [...voyage.loadings, ...voyage.discharges];
  return [
    {
      name: 'voyage',
      caption: 'The voyage from shore to shore (negative is a loss)',
      columns: ['From → to', 'Given', 'Received', 'Difference', '%', 'Unit', 'Unknown because'],
      rows: (steps.every(({ percent }) => percent === null) ? [] : steps).map(
        ({ name, given, received, difference, percent, reason }) => ({
          cells: [
            name,
            rounded(given, 3),
            rounded(received, 3),
            rounded(difference, 3),
            percent,
            named(voyage.uom),
            reason,
          ],
        }),
      ),
    },
    ...(calls.length > 1 ? [measuredTable(calls), callsTable(calls)] : []),
  ];
}

/** @param {Voyage['loadings']} calls */
function measuredTable(calls) {
  const sides = calls.flatMap((call) => {
    const [first, second] = call.activity === 'load' ? ['shore', 'ship on departure'] : ['ship on arrival', 'shore'];
    const ofSide = (/** @type {string} */ direction) =>
      call.quantityResults.find((result) => result.direction === direction);
    return [
      { name: `${isolated(labelOf(call))}: ${first}`, figures: figuresOf(ofSide('source')) },
      { name: `${isolated(labelOf(call))}: ${second}`, figures: figuresOf(ofSide('destination')) },
    ];
  });
  const names = [...new Set(sides.flatMap(({ figures }) => [...figures.keys()]))];
  return {
    name: 'measured',
    caption: 'What was measured, side by side',
    columns: ['Figure', ...sides.map(({ name }) => name)],
    rows: names.map((name) => ({ cells: [name, ...sides.map(({ figures }) => figures.get(name))] })),
  };
}

/** Figures by name and unit, in the order of the report. @param {QuantitiesFragment | undefined} result @returns {Map<string, number | null>} */
function figuresOf(result) {
  if (!result) return new Map();
  const { measurements, meanTemp, density15c, sedimentWaterPerc } = result;
  const described = /** @type {const} */ ([
    [`Mean temperature, ${named(meanTemp?.uom) ?? '?'}`, meanTemp?.value ?? null],
    ['Density at 15 °C', density15c],
    ['Sediment and water, %', sedimentWaterPerc],
  ]);
  return new Map([
    ...measurements.map(
      ({ code, name, value, uom }) => /** @type {const} */ ([`${code ?? name ?? '?'}, ${named(uom) ?? '?'}`, value]),
    ),
    ...described.filter(([, value]) => value !== null),
  ]);
}

/** @param {Voyage['loadings']} calls */
const callsTable = (calls) => ({
  name: 'calls-of-voyage',
  caption: 'Jobs of the voyage',
  columns: ['Job', 'Activity', 'Place', 'Product', 'ETA', 'State'],
  rows: calls.map((call) => ({
    job: call.id,
    cells: [
      labelOf(call),
      call.activity,
      named(call.location),
      named(call.cargo?.product),
      timed(day(call.eta)),
      call.status,
    ],
  })),
});
