import { type Decimal, FIGURE_PLACES, PERCENT_PLACES, percentOf, rounded } from './decimal.ts';
import { counterpartOf, type Figure, figuresOf, type Measurement, summed } from './measurements.ts';
import type { Tolerance } from './tolerance.ts';
import { factorBetween, knownUnitOf } from './units.ts';

/** What was reported about the quantities of a job. */
export interface ReportedQuantities {
  readonly activity: string | undefined;
  readonly source: readonly Measurement[] | undefined;
  readonly destination: readonly Measurement[] | undefined;
  /** The measurements of each load port information. */
  readonly loadPorts: readonly (readonly Measurement[])[];
}

/** One measurement on two sides. */
export interface QuantityComparison {
  readonly code: string | null;
  readonly name: string | null;
  /** The catalog record of the unit that all figures of the comparison are in: that of the side that gave. */
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

/** Compares what was given with what was received, measurement by measurement (docs/calculations.md). */
export function reconcile(reported: ReportedQuantities, tolerance: Tolerance): QuantityReconciliation {
  const { source, destination, loadPorts } = reported;
  const loaded = summed(loadPorts, 'load port information');
  const given = source && figuresOf(source);
  const received = destination && figuresOf(destination);
  const isDischarge = reported.activity === 'discharge';
  const compare = (from: readonly Figure[] | undefined, to: readonly Figure[] | undefined) =>
    from && to ? comparisons(from, to, tolerance) : [];
  const atLoadPort = isDischarge && loadPorts.length > 0 ? loaded : undefined;
  return {
    tolerance,
    transfer: compare(given, received),
    transit: compare(atLoadPort, given),
    outturn: compare(atLoadPort, received),
    reason: missingText([
      ...(given ? [] : ['quantity result of the source']),
      ...(received ? [] : ['quantity result of the destination']),
      ...(isDischarge && loadPorts.length === 0 ? ['load port information'] : []),
    ]),
  };
}

const missingText = (missing: readonly string[]): string | null =>
  missing.length === 0 ? null : `Missing: ${missing.join(', ')}.`;

function comparisons(given: readonly Figure[], received: readonly Figure[], tolerance: Tolerance) {
  const pairs = given.map((figure) => [figure, counterpartOf(figure, received)] as const);
  const unmatched = received.filter((figure) => !pairs.some(([, other]) => other === figure));
  return [
    ...pairs.map(([from, to]) => comparison(from, to, tolerance)),
    ...unmatched.map((figure) => ({
      ...labels(figure),
      received: numberOf(figure.value),
      reason: 'There is no such measurement on the side that gave.',
    })),
  ];
}

function comparison(from: Figure, to: Figure | undefined, tolerance: Tolerance): QuantityComparison {
  const known = { ...labels(from), given: numberOf(from.value) };
  if (!to) return { ...known, reason: 'There is no such measurement on the side that received.' };
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
    reason: percent ? tolerance.reason : 'A percentage of zero does not exist.',
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
