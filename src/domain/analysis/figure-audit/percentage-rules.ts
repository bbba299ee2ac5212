import { Decimal } from '../decimal.ts';
import {
  type AuditFacts,
  type AuditTerms,
  eachOf,
  PERCENTAGES,
  type ProductHistory,
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

/** A percentage is like those of the other results of the same product. */
export function percentageHistory<T>(
  { quantities, history }: AuditFacts<T>,
  { historyRatio }: AuditTerms,
): RuleOutcome<T> {
  return eachOf(quantities, (report) => {
    const violations: Violation<T>[] = [];
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

interface SortedHistory {
  readonly values: readonly Decimal[];
  /** Where a value stands, one of the places of equal ones. */
  readonly places: ReadonlyMap<string, number>;
}

/** Each history is asked for by every report of every job of the product. */
const known = new WeakMap<readonly Decimal[], SortedHistory>();

/**
 * What is usual for a value: the median of a history without the value itself, if it is part of that; undefined where there
 * are too few others, or the median is not above zero.
 */
export function usualBeside(
  actual: Decimal,
  history: readonly Decimal[],
  { hasOwn }: Pick<ProductHistory, 'hasOwn'>,
): Decimal | undefined {
  const { values, places } = known.get(history) ?? sortedHistory(history);
  return usualOfSorted(values, hasOwn ? places.get(actual.toString()) : undefined);
}

function sortedHistory(history: readonly Decimal[]): SortedHistory {
  const values = [...history].sort((a, b) => a.comparedTo(b));
  const places = new Map(values.map((value, place) => [value.toString(), place]));
  known.set(history, { values, places });
  return { values, places };
}

/** The median of values in ascending order, without the one at a place. */
export function usualOfSorted(sorted: readonly Decimal[], without = sorted.length): Decimal | undefined {
  const count = without < sorted.length ? sorted.length - 1 : sorted.length;
  if (count < FEWEST) return undefined;
  const at = (place: number) => sorted[place < without ? place : place + 1];
  const [low, high] = [at(Math.ceil(count / 2) - 1), at(Math.floor(count / 2))];
  const median = low && high && new Decimal(low).plus(high).div(2);
  return median?.gt(0) ? median : undefined;
}

/** On which side a value is that many times away from what is usual, or more. */
export function unusualSide(actual: Decimal, usual: Decimal, historyRatio: number): 'above' | 'below' | undefined {
  if (actual.gte(usual.times(historyRatio))) return 'above';
  return actual.times(historyRatio).lte(usual) ? 'below' : undefined;
}
