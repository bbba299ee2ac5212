/** The median of measurements, with its confidence interval. */
export interface Interval {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 2_000;

/** The median with the interval that holds 95 % of the medians of resampled measurements (the percentile bootstrap). */
export function intervalOf(values: readonly number[], random: () => number = Math.random): Interval {
  const medians = Array.from({ length: RESAMPLES }, () =>
    medianOf(values.map(() => values[Math.floor(random() * values.length)] ?? Number.NaN)),
  ).sort((a, b) => a - b);
  const at = (share: number): number => medians[Math.floor(share * (RESAMPLES - 1))] ?? Number.NaN;
  return { median: medianOf(values), low: at(0.025), high: at(0.975) };
}

/** The cost of a part, from the difference made by leaving it out: as shares of the cost without it. */
export function costOf({ median, low, high }: Interval): Interval {
  const cost = (difference: number): number => 1 / (1 + difference) - 1;
  return { median: cost(median), low: cost(high), high: cost(low) };
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}
