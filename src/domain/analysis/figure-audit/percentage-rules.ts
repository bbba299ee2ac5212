import { Decimal } from '../decimal.ts';
import {
  type AuditFacts,
  type AuditTerms,
  eachOf,
  PERCENTAGES,
  type PercentageOfJob,
  type ProductHistory,
  REPORTS_OF_HISTORY,
  type RuleOutcome,
  type RuleViolation,
} from './audit-facts.ts';

/** S&W = sediment + water. */
export function sedimentWaterSum<T>({ quantities }: AuditFacts<T>, { sumTolerance }: AuditTerms): RuleOutcome<T> {
  return eachOf(quantities, ({ document, sedimentWaterPerc, sedimentPerc, waterPerc }) => {
    if (!sedimentWaterPerc || !sedimentPerc || !waterPerc) return undefined;
    const expected = sedimentPerc.plus(waterPerc);
    if (sedimentWaterPerc.minus(expected).abs().lte(sumTolerance)) return [];
    const message = 'Sediment and water together are not the sum of sediment and water.';
    return [{ document, message, expected, actual: sedimentWaterPerc }];
  });
}

/** The fewest results that form a history. */
const FEWEST = 3;

/** A percentage resembles those of the other results of the same product. */
export function percentageHistory<T>(
  { quantities, history }: AuditFacts<T>,
  { historyRatio }: AuditTerms,
): RuleOutcome<T> {
  return eachOf(quantities.slice(0, REPORTS_OF_HISTORY), (report) => {
    const violations: RuleViolation<T>[] = [];
    let isChecked = false;
    for (const percentage of PERCENTAGES) {
      const actual = report[percentage];
      const usual = actual && usualBeside(actual, history[percentage], history);
      if (!actual || !usual) continue;
      isChecked = true;
      const side = unusualSide(actual, usual, historyRatio);
      if (!side) continue;
      const message = `${percentage} is ${historyRatio} times ${side} what is usual for the product, or more.`;
      violations.push({ document: report.document, message, expected: usual, actual });
    }
    return isChecked ? violations : undefined;
  });
}

/**
 * What is usual for a value: the median of the history, without the value itself if it is part of it; undefined if there are
 * too few others, or the median is not above zero.
 */
export function usualBeside(
  actual: Decimal,
  history: readonly PercentageOfJob[],
  { hasOwn }: Pick<ProductHistory, 'hasOwn'>,
): Decimal | undefined {
  return usualOfSorted(history, hasOwn ? placeOf(actual, history) : undefined);
}

interface Valued {
  readonly value: Decimal;
}

export const ascending = <T extends Valued>(values: readonly T[]): T[] =>
  values.toSorted((a, b) => a.value.comparedTo(b.value));

/** The index of the first value that is not below the given one. */
function placeOf(value: Decimal, sorted: readonly Valued[]): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (sorted[middle]?.value.lt(value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A history with what a job reports now in place of its previous values. */
export function withReported(
  history: readonly PercentageOfJob[],
  job: string,
  reported: readonly Decimal[],
): readonly PercentageOfJob[] {
  const before = history.filter((one) => one.job === job);
  const now = ascending(reported.map((value) => ({ job, value })));
  const isSame = before.length === now.length && before.every(({ value }, at) => now[at]?.value.eq(value));
  return isSame ? history : ascending([...history.filter((one) => one.job !== job), ...now]);
}

/** The median of ascending values, without the one at index `without`. */
export function usualOfSorted(sorted: readonly Valued[], without = sorted.length): Decimal | undefined {
  const count = without < sorted.length ? sorted.length - 1 : sorted.length;
  if (count < FEWEST) return undefined;
  const at = (place: number) => sorted[place < without ? place : place + 1]?.value;
  const [low, high] = [at(Math.ceil(count / 2) - 1), at(Math.floor(count / 2))];
  const median = low && high && new Decimal(low).plus(high).div(2);
  return median?.gt(0) ? median : undefined;
}

/** On which side a value differs from the usual one by at least that factor. */
export function unusualSide(actual: Decimal, usual: Decimal, historyRatio: number): 'above' | 'below' | undefined {
  if (actual.gte(usual.times(historyRatio))) return 'above';
  return actual.times(historyRatio).lte(usual) ? 'below' : undefined;
}
