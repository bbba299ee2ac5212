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
      const [actual, usual] = [report[percentage], medianOf(history[percentage])];
      if (!actual || !usual?.gt(0)) continue;
      isChecked = true;
      const isAbove = actual.gte(usual.times(historyRatio));
      if (!isAbove && actual.times(historyRatio).gt(usual)) continue;
      const message = `${percentage} is ${historyRatio} times ${isAbove ? 'above' : 'below'} what is usual for the product, or more.`;
      violations.push({ document: report.document, message, expected: usual, actual });
    }
    return isChecked ? violations : undefined;
  });
}

/** The middle of at least three values. */
function medianOf(values: readonly Decimal[]): Decimal | undefined {
  if (values.length < FEWEST) return undefined;
  const sorted = [...values].sort((a, b) => a.comparedTo(b));
  const half = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  return low && high && new Decimal(low).plus(high).div(2);
}
