import { Decimal } from '../decimal.ts';
import { type Conformity, combinedJudgement, type Limits, singleJudgement } from './verdict.ts';

/** How far the procedure of ASTM D3244 / ISO 4259-2 has progressed for one test of one sample. */
const STEPS = [
  'SINGLE',
  'MEAN_OF_TWO',
  'RETEST_NEEDED',
  'MEAN_OF_RETESTS',
  'REFEREE_NEEDED',
  'MEAN_OF_THREE',
  'CLOSER_PAIR',
] as const;
export type Step = (typeof STEPS)[number];

/** A laboratory's result: a number, or a bound such as `<3`, which takes its place but is no value. */
export interface LaboratoryResult {
  readonly laboratory: string;
  /** When it was tested, in milliseconds. */
  readonly testedAt: number;
  readonly value: Decimal;
  readonly isBound?: boolean;
  readonly isPreliminary?: boolean;
  /** One key for all records of the same unit or method; undefined if the result names none. */
  readonly unit?: string | undefined;
  readonly method?: string | undefined;
}

interface AssignedValue {
  readonly value: Decimal | undefined;
  readonly step: Step | undefined;
  readonly conformity: Conformity | undefined;
  readonly reason: string | undefined;
}

/** Three results agree when they are within 1.2 R. */
const RANGE_OF_THREE = new Decimal('1.2');

/** The assigned value of one test of one sample and its verdict, from results in the order of testing. */
export function assignedValueOf(results: readonly LaboratoryResult[], limits: Limits): AssignedValue {
  const [a, b, c] = laboratoriesOf(results);
  if (!a) return undecided(undefined, 'There is no result that can be held against the limits.');
  if (!b) {
    const { value, isBound } = a.newest;
    if (isBound) return undecided(undefined, IS_BOUND);
    return decided('SINGLE', value, singleJudgement(value, limits)?.conformity);
  }
  const { reproducibility } = limits;
  if (!reproducibility) {
    return undecided(undefined, 'Results of two laboratories cannot be combined without a reproducibility.');
  }
  const combined = (step: Step, value: Decimal) => decided(step, value, combinedJudgement(value, limits)?.conformity);
  const firstsApart = whyApart(a.first, b.first);
  if (firstsApart) return undecided(undefined, firstsApart);
  if (difference(a.first, b.first).lte(reproducibility)) return combined('MEAN_OF_TWO', mean(a.first, b.first));
  const [againA, againB] = [a.again, b.again];
  if (!againA || !againB) {
    return undecided('RETEST_NEEDED', 'The results of two laboratories differ by more than R: both test again.');
  }
  const retestsApart = whyApart(againA, againB);
  if (retestsApart) return undecided(undefined, retestsApart);
  if (difference(againA, againB).lte(reproducibility)) return combined('MEAN_OF_RETESTS', mean(againA, againB));
  const referee = c?.first;
  if (!referee) {
    return undecided('REFEREE_NEEDED', 'The retests differ by more than R: a third laboratory tests.');
  }
  const refereeApart = whyApart(againA, referee);
  if (refereeApart) return undecided(undefined, refereeApart);
  const ofThree = [againA, againB, referee].sort((x, y) => x.value.comparedTo(y.value));
  const [low, middle, high] = ofThree as [LaboratoryResult, LaboratoryResult, LaboratoryResult];
  if (difference(high, low).lte(reproducibility.times(RANGE_OF_THREE))) {
    return combined('MEAN_OF_THREE', low.value.plus(middle.value).plus(high.value).div(3));
  }
  return combined('CLOSER_PAIR', ofCloserPair(low, middle, high));
}

/** What the procedure needs of the results of one laboratory. */
interface Laboratory {
  readonly first: LaboratoryResult;
  readonly newest: LaboratoryResult;
  /** The newest of those that were tested later than the first. */
  readonly again: LaboratoryResult | undefined;
}

/** Cached by the list of results, which may be held against many limits. */
const known = new WeakMap<readonly LaboratoryResult[], readonly Laboratory[]>();

function laboratoriesOf(results: readonly LaboratoryResult[]): readonly Laboratory[] {
  const found = known.get(results) ?? groupedByLaboratory(results);
  known.set(results, found);
  return found;
}

const groupedByLaboratory = (results: readonly LaboratoryResult[]): Laboratory[] =>
  [...Map.groupBy(results, ({ laboratory }) => laboratory).values()].map((reported) => {
    const ofOne = withoutReplaced(reported);
    const [first, newest] = [ofOne[0], ofOne.at(-1)] as [LaboratoryResult, LaboratoryResult];
    return { first, newest, again: ofOne.findLast(({ testedAt }) => testedAt > first.testedAt) };
  });

/** The results of a laboratory without the preliminary ones that a confirmed result of the same time replaces. */
function withoutReplaced(results: readonly LaboratoryResult[]): readonly LaboratoryResult[] {
  const confirmed = new Set<number>();
  const counted = results.toReversed().filter(({ isPreliminary, testedAt }) => {
    if (isPreliminary !== true) confirmed.add(testedAt);
    return isPreliminary !== true || !confirmed.has(testedAt);
  });
  return counted.reverse();
}

export const IS_BOUND = 'The result is a bound, not a number.';

/** Why the values of two results cannot be compared. */
function whyApart(a: LaboratoryResult, b: LaboratoryResult): string | undefined {
  if (a.isBound || b.isBound) return IS_BOUND;
  if (a.unit !== b.unit) return 'Results of laboratories in different units cannot be combined.';
  return a.method === b.method ? undefined : 'Results of laboratories by different methods cannot be combined.';
}

function ofCloserPair(low: LaboratoryResult, middle: LaboratoryResult, high: LaboratoryResult): Decimal {
  const order = difference(middle, low).comparedTo(difference(high, middle));
  if (order === 0) return middle.value;
  return order < 0 ? mean(low, middle) : mean(middle, high);
}

const difference = (a: LaboratoryResult, b: LaboratoryResult): Decimal => a.value.minus(b.value).abs();
const mean = (a: LaboratoryResult, b: LaboratoryResult): Decimal => a.value.plus(b.value).div(2);

const decided = (step: Step, value: Decimal, conformity: Conformity | undefined): AssignedValue => ({
  value,
  step,
  conformity,
  reason: conformity ? undefined : 'The specification has no limit for the test.',
});
const undecided = (step: Step | undefined, reason: string): AssignedValue => ({
  ...{ value: undefined, conformity: undefined },
  step,
  reason,
});
