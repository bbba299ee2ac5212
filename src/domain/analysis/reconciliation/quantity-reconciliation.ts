import { type Decimal, FIGURE_PLACES, PERCENT_PLACES, percentOf, rounded } from '../decimal.ts';
import { type Figure, figuresOf, type Measurement, pairsOf } from '../measurements.ts';
import type { Tolerance } from '../tolerance.ts';
import { factorBetween, knownUnitOf } from '../units.ts';
import { comparePlain, PERCENT_SCALE } from './plain-comparison.ts';
import { summed } from './summed-reports.ts';

/** What was reported about the quantities of a job. */
export interface ReportedQuantities {
  readonly activity: string | undefined;
  readonly source: readonly Measurement[] | undefined;
  readonly destination: readonly Measurement[] | undefined;
  /** The measurements of each load port information. */
  readonly loadPorts: readonly (readonly Measurement[])[];
}

/** One measurement compared on two sides. */
export interface QuantityComparison {
  readonly code: string | null;
  readonly name: string | null;
  /** The catalog record of the unit of all figures in the comparison: that of the giving side. */
  readonly unit: string | null;
  readonly symbol: string | null;
  readonly given: number | null;
  readonly received: number | null;
  /** Received minus given: negative is a loss. */
  readonly difference: number | null;
  readonly percent: number | null;
  readonly isWithinTolerance: boolean | null;
  readonly reason: string | null;
}

export interface QuantityReconciliation {
  readonly tolerance: Tolerance;
  readonly transfer: readonly QuantityComparison[];
  readonly transit: readonly QuantityComparison[];
  readonly outturn: readonly QuantityComparison[];
  readonly reason: string | null;
}

/** Compares given with received quantities, measurement by measurement (docs/calculations.md). */
export const reconcile = (reported: ReportedQuantities, tolerance: Tolerance): Reconciliation =>
  new Reconciliation(reported, tolerance);

/** Makes each comparison once, on demand. */
class Reconciliation implements QuantityReconciliation {
  readonly tolerance: Tolerance;
  readonly reason: string | null;
  readonly #reported: ReportedQuantities;
  readonly #limit: Limit;
  #given: readonly Figure[] | undefined;
  #received: readonly Figure[] | undefined;
  #transfer: QuantityComparison[] | undefined;
  #transit: QuantityComparison[] | undefined;
  #outturn: QuantityComparison[] | undefined;

  constructor(reported: ReportedQuantities, tolerance: Tolerance, reason = whatIsMissing(reported)) {
    this.#reported = reported;
    this.tolerance = tolerance;
    this.#limit = limitOf(tolerance);
    this.reason = reason;
  }

  /** The same with another reason. */
  because(reason: string | null): Reconciliation {
    return reason === this.reason ? this : new Reconciliation(this.#reported, this.tolerance, reason);
  }

  get transfer(): QuantityComparison[] {
    this.#transfer ??= this.#compare(this.#atSource(), this.#atDestination());
    return this.#transfer;
  }

  get transit(): QuantityComparison[] {
    this.#transit ??= this.#compare(this.#reported.source && this.#atLoadPort(), this.#atSource());
    return this.#transit;
  }

  get outturn(): QuantityComparison[] {
    this.#outturn ??= this.#compare(this.#reported.destination && this.#atLoadPort(), this.#atDestination());
    return this.#outturn;
  }

  #atSource(): readonly Figure[] | undefined {
    const { source } = this.#reported;
    if (source) this.#given ??= figuresOf(source);
    return this.#given;
  }

  #atDestination(): readonly Figure[] | undefined {
    const { destination } = this.#reported;
    if (destination) this.#received ??= figuresOf(destination);
    return this.#received;
  }

  #atLoadPort(): readonly Figure[] | undefined {
    const { activity, loadPorts } = this.#reported;
    if (activity !== 'discharge' || loadPorts.length === 0) return undefined;
    return summed(loadPorts, 'load port information');
  }

  #compare(from: readonly Figure[] | undefined, to: readonly Figure[] | undefined): QuantityComparison[] {
    return from && to ? comparisons(from, to, this.#limit) : [];
  }
}

function whatIsMissing({ activity, source, destination, loadPorts }: ReportedQuantities): string | null {
  return missingText([
    ...(source ? [] : ['quantity result of the source']),
    ...(destination ? [] : ['quantity result of the destination']),
    ...(activity === 'discharge' && loadPorts.length === 0 ? ['load port information'] : []),
  ]);
}

/** A tolerance, also in ten-thousandths of a percent if that is a whole number; null if there is none. */
interface Limit {
  readonly tolerance: Tolerance;
  readonly plain: number | null | undefined;
}

function limitOf(tolerance: Tolerance): Limit {
  const scaled = tolerance.limit?.times(PERCENT_SCALE);
  if (!scaled) return { tolerance, plain: null };
  return { tolerance, plain: scaled.isInteger() ? scaled.toNumber() : undefined };
}

const missingText = (missing: readonly string[]): string | null =>
  missing.length === 0 ? null : `Missing: ${missing.join(', ')}.`;

function comparisons(given: readonly Figure[], received: readonly Figure[], limit: Limit): QuantityComparison[] {
  const pairs = pairsOf(given, received);
  const matched = new Set(pairs.values());
  const unmatched = received.filter((figure) => !matched.has(figure));
  return [
    ...given.map((figure) => comparison(figure, pairs.get(figure), limit)),
    ...unmatched.map((figure) => ({
      ...labels(figure),
      received: numberOf(figure.value),
      reason: 'The side that gave has no such measurement.',
    })),
  ];
}

function comparison(from: Figure, to: Figure | undefined, limit: Limit): QuantityComparison {
  const plain = to && plainComparison(from, to, limit);
  if (plain) return plain;
  const { tolerance } = limit;
  const known = { ...labels(from), given: numberOf(from.value) };
  if (!to) return { ...known, reason: 'The side that received has no such measurement.' };
  if (!from.value || !to.value) return { ...known, reason: from.reason ?? to.reason ?? null };
  const factor = factorBetween(to.unit, from.unit);
  if ('reason' in factor) return { ...known, reason: factor.reason };
  const received = to.value.times(factor.factor);
  const difference = received.minus(from.value);
  const percent = percentOf(difference, from.value);
  return {
    ...known,
    received: numberOf(received),
    difference: numberOf(difference),
    percent: percent ? rounded(percent, PERCENT_PLACES) : null,
    isWithinTolerance: percent && tolerance.limit ? percent.abs().lte(tolerance.limit) : null,
    reason: percent ? tolerance.reason : 'A percentage of zero is undefined.',
  };
}

/** Compares two figures in one unit without decimals, as is possible for nearly all. */
function plainComparison(from: Figure, to: Figure, { tolerance, plain }: Limit): QuantityComparison | undefined {
  if (from.plain === undefined || to.plain === undefined || plain === undefined) return undefined;
  if (!from.unit || from.unit.id !== to.unit?.id) return undefined;
  const found = comparePlain(from.plain, to.plain, plain ?? undefined);
  if (!found) return undefined;
  const { code, name, unit, symbol } = labels(from);
  const { difference, percent, isWithinTolerance } = found;
  return {
    code,
    name,
    unit,
    symbol,
    given: from.plain,
    received: to.plain,
    difference,
    percent,
    isWithinTolerance,
    reason: tolerance.reason,
  };
}

const numberOf = (value: Decimal | undefined): number | null => (value ? rounded(value, FIGURE_PLACES) : null);

const labels = ({ code, name, unit }: Figure): QuantityComparison => ({
  code: code ?? null,
  name: name ?? null,
  unit: unit?.id ?? null,
  symbol: (unit && (knownUnitOf(unit)?.symbol ?? unit.spellings[0])) ?? null,
  given: null,
  received: null,
  difference: null,
  percent: null,
  isWithinTolerance: null,
  reason: null,
});
