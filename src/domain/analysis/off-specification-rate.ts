import { Decimal, PERCENT_PLACES, percentOf, rounded } from './decimal.ts';

/** How the quality results of the jobs of one product and vendor were judged. */
export interface JudgedResults {
  readonly product: string | undefined;
  readonly vendor: string | undefined;
  readonly results: number;
  readonly judged: number;
  readonly offSpecification: number;
}

/** The share of judged results that are off specification. */
export interface OffSpecificationRate {
  /** The catalog record of the product or vendor; null for jobs that name none. */
  readonly record: string | null;
  readonly results: number;
  readonly judged: number;
  readonly offSpecification: number;
  /** In percent of the judged results; null if none was judged. */
  readonly percent: number | null;
}

/** The rate for each product or vendor; those with the most results first. */
export function offSpecificationRates(
  rows: readonly JudgedResults[],
  by: 'product' | 'vendor',
): OffSpecificationRate[] {
  const groups = Map.groupBy(rows, (row) => row[by]);
  return [...groups]
    .map(([record, ofOne]) => rateOf(record, ofOne))
    .sort((a, b) => b.results - a.results || String(a.record).localeCompare(String(b.record)));
}

/** The rate over all rows. */
export function rateOf(record: string | undefined, rows: readonly JudgedResults[]): OffSpecificationRate {
  const sum = (name: 'results' | 'judged' | 'offSpecification') => rows.reduce((total, row) => total + row[name], 0);
  const [judged, off] = [sum('judged'), sum('offSpecification')];
  const percent = percentOf(new Decimal(off), new Decimal(judged));
  return {
    record: record ?? null,
    results: sum('results'),
    judged,
    offSpecification: off,
    percent: percent ? rounded(percent, PERCENT_PLACES) : null,
  };
}
