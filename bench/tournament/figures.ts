import type { Sample } from './tournament.ts';

/** The median and the spread of repeated measurements. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** The spread of at least one value. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return { min: at(0), median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2, max: at(sorted.length - 1) };
}

/** The compared figure; samples without it count as NaN. */
export type Measure = 'perSecond' | 'p50' | 'p99' | 'processor';

/** Ours divided by theirs, round by round, because both are then measured within the same minute. */
export function ratioOf(samples: readonly Sample[], rival: string, measure: Measure): Spread {
  const of = (contestant: string) => samples.filter((sample) => sample.contestant === contestant);
  const theirs = new Map(of(rival).map((sample) => [sample.round, measured(sample, measure)]));
  return spreadOf(of('ours').map((sample) => measured(sample, measure) / (theirs.get(sample.round) ?? Number.NaN)));
}

/** The spread of a contestant's figure. */
export const figureOf = (samples: readonly Sample[], contestant: string, measure: Measure): Spread =>
  spreadOf(samples.filter((sample) => sample.contestant === contestant).map((sample) => measured(sample, measure)));

const measured = (sample: Sample, measure: Measure): number => sample[measure] ?? Number.NaN;
