import { startOf, type Unit } from './rollups.ts';

/** Times from one (included) to another (not included). */
export interface Period {
  readonly from: Date;
  readonly to: Date;
}

/** A period in whole months and days of rollups, and what is left of it. */
export interface CoveredPeriod {
  readonly rollups: readonly (Period & { readonly unit: Unit })[];
  readonly rest: readonly Period[];
}

/** The nearest jobs outside of a period. */
export interface Neighbours {
  readonly before: Date | undefined;
  readonly after: Date | undefined;
}

/** Widens a period to whole months, else days, where no jobs are added by that. */
export function widened({ from, to }: Period, { before, after }: Neighbours): Period {
  const starts = (['month', 'day'] as const).map((unit) => startOf(unit, from));
  const ends = (['month', 'day'] as const).map((unit) => endOf(unit, to));
  return {
    from: starts.find((start) => !before || before < start) ?? from,
    to: ends.find((end) => !after || after >= end) ?? to,
  };
}

/** Covers a period by as few rollups as possible. */
export function covered(period: Period, units: readonly Unit[]): CoveredPeriod {
  const [unit, ...smaller] = units;
  if (!unit) return { rollups: [], rest: isEmpty(period) ? [] : [period] };
  const whole = { unit, from: endOf(unit, period.from), to: startOf(unit, period.to) };
  if (isEmpty(whole)) return covered(period, smaller);
  const left = covered({ from: period.from, to: whole.from }, smaller);
  const right = covered({ from: whole.to, to: period.to }, smaller);
  return { rollups: [...left.rollups, whole, ...right.rollups], rest: [...left.rest, ...right.rest] };
}

/** The first start of a day or month at a time or after it. */
function endOf(unit: Unit, time: Date): Date {
  const start = startOf(unit, time);
  return start.getTime() === time.getTime() ? start : startOf(unit, time, 1);
}

const isEmpty = ({ from, to }: Period): boolean => from >= to;
