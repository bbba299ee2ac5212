import { DISCHARGE } from '../../store/statistics/job-cells.ts';
import type { SummedCell } from '../../store/statistics/summed-cells.ts';
import type { JobsLeftOut } from '../analysis/loss-by-route.ts';

/** What was loaded and received on one route, in one pair of units, in a workspace. */
export interface RouteCell extends SummedCell {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly loadedUnit: string | undefined;
  readonly outturnUnit: string | undefined;
}

/** The routes among the cells of a measurement. */
export function routeCells(cells: readonly SummedCell[]): RouteCell[] {
  return cells.flatMap((cell) => {
    if (cell.key === '') return [];
    const [from, to, loadedUnit, outturnUnit] = (JSON.parse(cell.key) as (string | null)[]).map(
      (id) => id ?? undefined,
    );
    return { ...cell, from, to, loadedUnit, outturnUnit };
  });
}

/** Why discharges belong to no route: because data is missing altogether, or the given measurement is. */
export function leftOutOf(discharges: readonly SummedCell[], ofMeasurement: readonly SummedCell[]): JobsLeftOut[] {
  const jobs = (cells: readonly SummedCell[], isMeant: (key: string) => boolean) =>
    cells.filter(({ key }) => isMeant(key)).reduce((sum, { n }) => sum + n, 0);
  const withBoth = jobs(discharges, (key) => key === DISCHARGE.good);
  const withLoaded = jobs(ofMeasurement, () => true);
  const problems = [
    [jobs(discharges, (key) => key === DISCHARGE.noLoadPort), 'There is no load port information.'],
    [jobs(discharges, (key) => key === DISCHARGE.loadPorts), 'There is more than one load port.'],
    [jobs(discharges, (key) => key === DISCHARGE.noOutturn), 'There is no quantity result of the destination.'],
    [withBoth - withLoaded, 'The load port has not exactly one such figure.'],
    [jobs(ofMeasurement, (key) => key === ''), 'The destination has not exactly one such figure.'],
  ] as const;
  return problems
    .flatMap(([count, reason]) => (count > 0 ? { reason, jobs: count } : []))
    .sort((a, b) => b.jobs - a.jobs);
}
