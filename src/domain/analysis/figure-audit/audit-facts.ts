import type { Decimal } from '../decimal.ts';
import type { Figure } from '../measurements.ts';
import type { Conformity } from '../specification/verdict.ts';
import type { VolumeCorrectionTable } from '../volume-correction/tables.ts';

/** A temperature as reported; the scale is undefined if no unit is given with it. */
export interface Temperature {
  readonly value: Decimal;
  readonly scale: '°C' | '°F' | undefined;
}

export const PERCENTAGES = ['waterPerc', 'sedimentPerc', 'sedimentWaterPerc'] as const;
export type Percentage = (typeof PERCENTAGES)[number];

/** What a quantity result says; anything that is missing or not a number is undefined. */
export interface QuantityReport<T> extends Readonly<Record<Percentage, Decimal | undefined>> {
  readonly document: T;
  readonly figures: readonly Figure[];
  /** As reported: kg/m³, or kg/l if below 2. */
  readonly density15c: Decimal | undefined;
  readonly api: Decimal | undefined;
  readonly temperature: Temperature | undefined;
  readonly table: VolumeCorrectionTable | undefined;
  readonly activeShoreTank: boolean | undefined;
}

/** What a quality result says about specifications. */
export interface QualityReport<T> {
  readonly document: T;
  readonly isOffSpec: boolean | undefined;
  /** The laboratory's verdict, by `isOffSpec` or `isPassed`; undefined if it gave neither. */
  readonly isOff: boolean | undefined;
  readonly hasLaterResult: boolean;
  readonly value: number | null;
  readonly conformity: Conformity | null;
  readonly limit: number | null;
}

/** The ship to shore ratio of the job's voyage, and the vessel's factor without it. */
export interface ShipShoreRatio<T> {
  readonly document: T;
  readonly ratio: Decimal;
  readonly factor: Decimal;
}

/** How many quantity results of a job, the newest, are compared with a history and are part of it. */
export const REPORTS_OF_HISTORY = 100;

/** A percentage that a job reports. */
export interface PercentageOfJob {
  readonly job: string;
  readonly value: Decimal;
}

/** What the newest jobs of a product report for each percentage, in ascending order. */
export interface ProductHistory extends Readonly<Record<Percentage, readonly PercentageOfJob[]>> {
  /** Whether the reports of the job itself are among them. */
  readonly hasOwn: boolean;
}

/** Everything about a job that the audit checks. */
export interface AuditFacts<T> {
  readonly job: T;
  readonly isComplete: boolean;
  /** The kinds of results that were requested, and whether they were reported. */
  readonly requested: readonly { readonly kind: string; readonly isThere: boolean }[];
  readonly quantities: readonly QuantityReport<T>[];
  readonly qualities: readonly QualityReport<T>[];
  readonly history: ProductHistory;
  readonly shipShore: ShipShoreRatio<T> | undefined;
}

/** The thresholds of the rules; all are inclusive. */
export interface AuditTerms {
  /** How far GSV ÷ GOV may be from the correction factor. */
  readonly factorTolerance: number;
  /** How far NSV may be from GSV less S&W, in percent of GSV. */
  readonly netTolerance: number;
  /** How far S&W may be from sediment plus water, in percentage points. */
  readonly sumTolerance: number;
  /** How far the API gravity may be from that of the density, in °API. */
  readonly apiTolerance: number;
  /** The maximum of GSV ÷ GOV. */
  readonly maximumFactor: number;
  /** The ratio to its history at which a percentage is unusual. */
  readonly historyRatio: number;
  /** How far ship to shore may be from the vessel's factor, in percent of it. */
  readonly shipShoreSpread: number;
}

export const AUDIT_DEFAULTS: AuditTerms = {
  factorTolerance: 0.0001,
  netTolerance: 0.01,
  sumTolerance: 0.005,
  apiTolerance: 0.2,
  maximumFactor: 1.05,
  historyRatio: 10,
  shipShoreSpread: 0.3,
};

/** What a rule found wrong in a document. */
export interface RuleViolation<T> {
  readonly document: T;
  readonly message: string;
  readonly expected?: Decimal | number | null;
  readonly actual?: Decimal | number | null;
}

/** What a rule found; the rule was not checked if the figures it needs are missing. */
export interface RuleOutcome<T> {
  readonly isChecked: boolean;
  readonly violations: readonly RuleViolation<T>[];
}

/** The outcome of a rule that checks each report by itself: undefined if it has nothing to check. */
export function eachOf<R, T>(
  reports: readonly R[],
  check: (report: R) => readonly RuleViolation<T>[] | undefined,
): RuleOutcome<T> {
  const outcomes = reports.map(check);
  return {
    isChecked: outcomes.some((violations) => violations !== undefined),
    violations: outcomes.flatMap((violations) => violations ?? []),
  };
}
