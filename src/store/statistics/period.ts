import { startOf, type Unit } from './rollups.ts';

/** Times from `from` (inclusive) to `to` (exclusive). */
export interface Period {
  readonly from: Date;
  readonly to: Date;
}

/** A period as whole months and days of rollups, and the remainder. */
export interface CoveredPeriod {
  readonly rollups: readonly (Period & { readonly unit: Unit })[];
  readonly rest: readonly Period[];
}

/** The nearest jobs outside of a period. */
interface Neighbours {
  readonly before: Date | undefined;
  readonly after: Date | undefined;
}

/** Widens a period to whole months, or else days, where that adds no jobs. */
export function widened({ from, to }: Period, { before, after }: Neighbours): Period {
  const starts = (['month', 'day'] as const).map((unit) => startOf(unit, from));
  const ends = (['month', 'day'] as const).map((unit) => endOf(unit, to));
  return {
    from: starts.find((start) => !before || before < start) ?? from,
    to: ends.find((end) => !after || after >= end) ?? to,
  };
}

/** Covers a period with as few rollups as possible. */
export function covered(period: Period, units: readonly Unit[]): CoveredPeriod {
  const [unit, ...smaller] = units;
  if (!unit) return { rollups: [], rest: isEmpty(period) ? [] : [period] };
  const whole = { unit, from: endOf(unit, period.from), to: startOf(unit, period.to) };
  if (isEmpty(whole)) return covered(period, smaller);
  const left = covered({ from: period.from, to: whole.from }, smaller);
  const right = covered({ from: whole.to, to: period.to }, smaller);
  return { rollups: [...left.rollups, whole, ...right.rollups], rest: [...left.rest, ...right.rest] };
}

/** A period divided into months with changes and months without. */
interface DividedPeriod {
  /** Whole days of months without changes. */
  readonly settled: readonly Period[];
  /** Partial days at both ends, in months without changes. */
  readonly ends: readonly Period[];
  readonly changing: readonly Period[];
}

/** Divides a period at the months with changes, given by their starts in any order. */
export function divided(period: Period, changed: readonly Date[]): DividedPeriod {
  const starts = [...new Set(changed.map(Number))].sort((a, b) => a - b).map((time) => new Date(time));
  const parts = { settled: [] as Period[], ends: [] as Period[], changing: [] as Period[] };
  const settle = (one: Period): void => {
    const { rollups, rest } = covered(one, ['day']);
    parts.settled.push(...rollups);
    parts.ends.push(...rest);
  };
  let { from } = period;
  for (const start of starts) {
    const month = { from: later(start, from), to: earlier(startOf('month', start, 1), period.to) };
    if (isEmpty(month)) continue;
    settle({ from, to: month.from });
    parts.changing.push(month);
    from = month.to;
  }
  settle({ from, to: period.to });
  return { ...parts, changing: joined(parts.changing) };
}

/** Periods in order, with adjacent ones merged. */
function joined(periods: readonly Period[]): Period[] {
  const found: Period[] = [];
  for (const one of periods) {
    const last = found.at(-1);
    if (last && last.to.getTime() === one.from.getTime()) found[found.length - 1] = { from: last.from, to: one.to };
    else found.push(one);
  }
  return found;
}

const later = (one: Date, other: Date): Date => (one > other ? one : other);
const earlier = (one: Date, other: Date): Date => (one < other ? one : other);

/** The first start of a day or month at or after a time. */
function endOf(unit: Unit, time: Date): Date {
  const start = startOf(unit, time);
  return start.getTime() === time.getTime() ? start : startOf(unit, time, 1);
}

const isEmpty = ({ from, to }: Period): boolean => from >= to;
