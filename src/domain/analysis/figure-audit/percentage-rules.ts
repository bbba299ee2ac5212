import { Decimal } from '../decimal.ts';
import {
  type AuditFacts,
  type AuditTerms,
  eachOf,
  PERCENTAGES,
  type RuleOutcome,
  type Violation,
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

/** The fewest results that make a history. */
const FEWEST = 3;

/** A percentage is like those of the same product on other jobs. */
export function percentageHistory<T>(
  { quantities, history }: AuditFacts<T>,
  { historyRatio }: AuditTerms,
): RuleOutcome<T> {
  return eachOf(quantities, (report) => {
    const violations: Violation<T>[] = [];
    let isChecked = false;
    for (const percentage of PERCENTAGES) {
      const [actual, usual] = [report[percentage], usualOf(history[percentage])];
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

/** Each history is asked for by every report of a job. */
const known = new WeakMap<readonly Decimal[], { readonly usual: Decimal | undefined }>();

/** What is usual: the median of a history; undefined where that has too few values, or is not above zero. */
export function usualOf(values: readonly Decimal[]): Decimal | undefined {
  const found = known.get(values) ?? { usual: usualOfSorted([...values].sort((a, b) => a.comparedTo(b))) };
  known.set(values, found);
  return found.usual;
}

/** The same of values in ascending order. */
export function usualOfSorted(sorted: readonly Decimal[]): Decimal | undefined {
  if (sorted.length < FEWEST) return undefined;
  const half = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  const median = low && high && new Decimal(low).plus(high).div(2);
  return median?.gt(0) ? median : undefined;
}

/** On which side a value is that many times away from what is usual, or more. */
export function unusualSide(actual: Decimal, usual: Decimal, historyRatio: number): 'above' | 'below' | undefined {
  if (actual.gte(usual.times(historyRatio))) return 'above';
  return actual.times(historyRatio).lte(usual) ? 'below' : undefined;
}
