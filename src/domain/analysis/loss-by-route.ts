import { type Decimal, FIGURE_PLACES, PERCENT_PLACES, percentOf, rounded } from './decimal.ts';
import { factorBetween, type UnitOfMeasure } from './units.ts';

/** What was loaded and what arrived on one route, in one pair of units, added up. */
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

/** The loss on one route: what was loaded minus what arrived. */
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

/** Adds up each route in the unit that most of its jobs were loaded in; the routes with the most jobs first. */
export function lossByRoute(rows: readonly RouteQuantities[]): RouteLoss[] {
  const routes = Map.groupBy(rows, ({ from, to }) => JSON.stringify([from, to]));
  return [...routes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, ofRoute]) => lossOf(ofRoute))
    .sort((a, b) => b.jobs - a.jobs);
}

function lossOf(rows: readonly RouteQuantities[]): RouteLoss {
  const [largest, ...others] = [...rows].sort(
    (a, b) => b.jobs - a.jobs || String(a.loadedUnit?.id).localeCompare(String(b.loadedUnit?.id)),
  );
  const unit = largest?.loadedUnit;
  const leftOut: JobsLeftOut[] = [];
  let sum: Sum | undefined;
  for (const row of largest ? [largest, ...others] : []) {
    const [ofLoaded, ofOutturn] = [factorBetween(row.loadedUnit, unit), factorBetween(row.outturnUnit, unit)];
    if ('reason' in ofLoaded) leftOut.push({ jobs: row.jobs, reason: ofLoaded.reason });
    else if ('reason' in ofOutturn) leftOut.push({ jobs: row.jobs, reason: ofOutturn.reason });
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
    from: largest?.from ?? null,
    to: largest?.to ?? null,
    jobs: sum?.jobs ?? 0,
    unit: unit?.id ?? null,
    loaded: figure(sum?.loaded),
    outturn: figure(sum?.outturn),
    loss: figure(loss),
    percent: percent ? rounded(percent, PERCENT_PLACES) : null,
    leftOut,
  };
}
