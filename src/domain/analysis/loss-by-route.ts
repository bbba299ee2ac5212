import { type Decimal, FIGURE_PLACES, PERCENT_PLACES, percentOf, rounded } from './decimal.ts';
import { factorBetween, knownUnitOf, type UnitOfMeasure, unitOfSum } from './units.ts';

/** The totals loaded and arrived on one route, in one pair of units. */
export interface RouteQuantities {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly jobs: number;
  readonly loaded: Decimal;
  readonly loadedUnit: UnitOfMeasure | undefined;
  readonly outturn: Decimal;
  readonly outturnUnit: UnitOfMeasure | undefined;
}

/** Jobs that could not be counted, and why. */
export interface JobsLeftOut {
  readonly reason: string;
  readonly jobs: number;
}

/** The loss on one route: loaded minus arrived. */
export interface RouteLoss {
  readonly from: string | null;
  readonly to: string | null;
  readonly jobs: number;
  readonly unit: string | null;
  readonly loaded: number | null;
  readonly outturn: number | null;
  readonly loss: number | null;
  readonly percent: number | null;
  readonly leftOut: readonly JobsLeftOut[];
}

interface Sum {
  readonly jobs: number;
  readonly loaded: Decimal;
  readonly outturn: Decimal;
}

/** Totals each route in the unit in which most of its jobs were loaded; routes with the most jobs first. */
export function lossByRoute(rows: readonly RouteQuantities[]): RouteLoss[] {
  const routes = Map.groupBy(rows, ({ from, to }) => JSON.stringify([from, to]));
  return [...routes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, ofRoute]) => lossOf(ofRoute))
    .sort((a, b) => b.jobs - a.jobs);
}

function lossOf(rows: readonly RouteQuantities[]): RouteLoss {
  const unit = loadedUnitOf(rows);
  const standard = standardUnitOf(rows, unit);
  const leftOut = new Map<string, number>();
  const leaveOut = ({ jobs }: RouteQuantities, reason: string) =>
    leftOut.set(reason, (leftOut.get(reason) ?? 0) + jobs);
  let sum: Sum | undefined;
  for (const row of rows) {
    const [ofLoaded, ofOutturn] = [factorBetween(row.loadedUnit, unit), factorBetween(row.outturnUnit, unit)];
    const apart = whyApart(row, standard);
    if ('reason' in ofLoaded) leaveOut(row, ofLoaded.reason);
    else if ('reason' in ofOutturn) leaveOut(row, ofOutturn.reason);
    else if (apart !== undefined) leaveOut(row, apart);
    else {
      const [loaded, outturn] = [row.loaded.times(ofLoaded.factor), row.outturn.times(ofOutturn.factor)];
      const jobs = (sum?.jobs ?? 0) + row.jobs;
      sum = { jobs, loaded: sum?.loaded.plus(loaded) ?? loaded, outturn: sum?.outturn.plus(outturn) ?? outturn };
    }
  }
  const loss = sum?.loaded.minus(sum.outturn);
  const percent = sum && loss && percentOf(loss, sum.loaded);
  const figure = (value: Decimal | undefined) => (value ? rounded(value, FIGURE_PLACES) : null);
  return {
    from: rows[0]?.from ?? null,
    to: rows[0]?.to ?? null,
    jobs: sum?.jobs ?? 0,
    unit: unit?.id ?? null,
    loaded: figure(sum?.loaded),
    outturn: figure(sum?.outturn),
    loss: figure(loss),
    percent: percent ? rounded(percent, PERCENT_PLACES) : null,
    leftOut: [...leftOut].map(([reason, jobs]) => ({ reason, jobs })).sort((a, b) => b.jobs - a.jobs),
  };
}

/**
 * The unit in which most jobs were loaded; in a tie, the one with the first id. If several records are the same unit, the one named
 * by most jobs represents it.
 */
function loadedUnitOf(rows: readonly RouteQuantities[]): UnitOfMeasure | undefined {
  const loads = rows
    .flatMap(({ jobs, loadedUnit: unit }) => (unit ? { jobs, unit } : []))
    .sort((a, b) => a.unit.id.localeCompare(b.unit.id));
  const ofOneUnit = mostFrequent(loads, ({ unit }) => knownUnitOf(unit)?.symbol ?? unit.id);
  return mostFrequent(ofOneUnit, ({ unit }) => unit.id)[0]?.unit;
}

/** Why the figures of a row are not comparable with each other, or are at another standard than those of the route. */
function whyApart({ loadedUnit, outturnUnit }: RouteQuantities, standard: UnitOfMeasure | undefined) {
  const factors = [
    factorBetween(loadedUnit, outturnUnit),
    factorBetween(loadedUnit, standard),
    factorBetween(outturnUnit, standard),
  ];
  return factors.flatMap((factor) => ('reason' in factor ? [factor.reason] : []))[0];
}

/**
 * The unit at whose standard a route is summed: its own, or where that states none, the one of most jobs that states one, which is
 * then assumed of the others; in a tie, the first standard.
 */
function standardUnitOf(rows: readonly RouteQuantities[], unit: UnitOfMeasure | undefined): UnitOfMeasure | undefined {
  if (!unit || knownUnitOf(unit)?.condition !== undefined) return unit;
  const stated = rows.flatMap(({ jobs, loadedUnit, outturnUnit }) => {
    const of = 'factor' in factorBetween(loadedUnit, outturnUnit) ? unitOfSum([loadedUnit, outturnUnit]) : undefined;
    const condition = of && 'factor' in factorBetween(of, unit) ? knownUnitOf(of)?.condition : undefined;
    return of && condition !== undefined ? [{ jobs, unit: of, condition }] : [];
  });
  const ordered = stated.toSorted((a, b) => (a.condition < b.condition ? -1 : 1));
  return mostFrequent(ordered, ({ condition }) => condition)[0]?.unit ?? unit;
}

/** The items with the key of the most jobs; in a tie, the first key. */
function mostFrequent<T extends { readonly jobs: number }>(
  some: readonly T[],
  keyOf: (one: T) => string,
): readonly T[] {
  const groups = [...Map.groupBy(some, keyOf).values()];
  const counted = groups.map((of) => ({ of, jobs: of.reduce((sum, { jobs }) => sum + jobs, 0) }));
  return counted.sort((a, b) => b.jobs - a.jobs)[0]?.of ?? [];
}
