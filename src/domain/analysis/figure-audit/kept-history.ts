import { Decimal } from '../decimal.ts';
import { AUDIT_DEFAULTS, PERCENTAGES, type Percentage } from './audit-facts.ts';
import { unusualSide, usualOfSorted } from './percentage-rules.ts';

/** The kept percentages of a job. */
interface KeptHistory {
  readonly job: string;
  readonly percentages: readonly { readonly name: string; readonly value: number; readonly isUnusual: boolean }[];
}

/** The range in which a percentage is usual; without a range, none is unusual. */
interface UsualRange {
  readonly name: Percentage;
  readonly range: { readonly above: number; readonly below: number } | undefined;
}

/** The jobs of a product's history with a percentage whose kept verdict does not follow from the other percentages. */
export function misjudged(history: readonly KeptHistory[]): string[] {
  const jobs = new Set<string>();
  for (const name of PERCENTAGES) {
    const sorted = sortedValues(history, name);
    for (const [place, { job, value, isUnusual }] of sorted.entries()) {
      const usual = usualOfSorted(sorted, place);
      const side = usual && unusualSide(value, usual, AUDIT_DEFAULTS.historyRatio);
      if ((side !== undefined) !== isUnusual) jobs.add(job);
    }
  }
  return [...jobs];
}

/** The usual ranges by a history, for jobs outside it; as exact as doubles are. */
export function usualRanges(history: readonly KeptHistory[]): UsualRange[] {
  const { historyRatio } = AUDIT_DEFAULTS;
  return PERCENTAGES.map((name) => {
    const usual = usualOfSorted(sortedValues(history, name));
    if (!usual) return { name, range: undefined };
    return { name, range: { above: usual.times(historyRatio).toNumber(), below: usual.div(historyRatio).toNumber() } };
  });
}

/** Sorted as doubles, which is as exact and much faster. */
const sortedValues = (history: readonly KeptHistory[], name: Percentage) =>
  history
    .flatMap(({ job, percentages }) => percentages.filter((one) => one.name === name).map((one) => ({ ...one, job })))
    .sort((a, b) => a.value - b.value)
    .map((one) => ({ ...one, value: new Decimal(one.value) }));
