import { Decimal, rounded } from '../decimal.ts';
import { factorBetween, knownUnitOf, type UnitOfMeasure } from '../units.ts';
import type { LeftOutCode, LeftOutReason } from './left-out.ts';
import { inUnit, type Voyage } from './voyages.ts';

/** The terms for a voyage to qualify; the defaults are those of API MPMS 17.9 / EI HM 49, primary method. */
export interface ExperienceTerms {
  /** How many of the newest voyages count. */
  readonly voyages: number;
  /** A ratio outside these limits is a gross error. */
  readonly lowest: number;
  readonly highest: number;
  /** How far a ratio may deviate from the mean, in percent of the mean. */
  readonly spread: number;
  /** The fewest qualifying voyages that give a factor. */
  readonly minimum: number;
}

/** A voyage with its figures in the unit of the factor, if they convert to it; the ratio is null if there is none. */
export interface RatedVoyage<T> {
  readonly voyage: T;
  readonly vessel: number | null;
  readonly shore: number | null;
  readonly ratio: number | null;
}

export interface LeftOutVoyage<T> extends RatedVoyage<T>, LeftOutReason {}

export interface ExperienceFactor<T> {
  readonly factor: number | null;
  /** The mean against which ratios are compared: the sum of vessel figures divided by the sum of shore figures. */
  readonly mean: number | null;
  readonly unit: string | null;
  readonly used: readonly RatedVoyage<T>[];
  readonly leftOut: readonly LeftOutVoyage<T>[];
  readonly reason: string | null;
}

/** Ratios and factors have five decimals in the trade. */
const RATIO_PLACES = 5;
const FIGURE_PLACES = 3;

interface Rated<T> {
  readonly voyage: T;
  readonly vessel: Decimal;
  readonly shore: Decimal;
  readonly unit: UnitOfMeasure | undefined;
  readonly ratio: Decimal;
}

/** The vessel experience factor of voyages of one kind, newest first (docs/calculations.md). */
export function experienceFactorOf<T extends Voyage>(
  voyages: readonly T[],
  terms: ExperienceTerms,
  unit = commonUnitOf(voyages),
): ExperienceFactor<T> {
  const leftOut: LeftOutVoyage<T>[] = [];
  const rated: Rated<T>[] = [];
  for (const voyage of voyages) {
    const one = inCommonUnit(rate(voyage), unit);
    if ('code' in one) leftOut.push({ voyage, vessel: null, shore: null, ratio: null, ...one });
    else if (rated.length === terms.voyages)
      leftOut.push(without(one, 'TOO_OLD', `It is older than the ${terms.voyages} newest.`));
    else rated.push(one);
  }
  const plausible = rated.filter((one) => {
    const isError = one.ratio.lt(terms.lowest) || one.ratio.gt(terms.highest);
    if (isError)
      leftOut.push(without(one, 'GROSS_ERROR', `Its ratio is not between ${terms.lowest} and ${terms.highest}.`));
    return !isError;
  });
  const mean = ratioOfSums(plausible)?.toDecimalPlaces(RATIO_PLACES);
  const allowed = mean?.times(terms.spread).div(100);
  const used = plausible.filter((one) => {
    const isFar = mean && allowed && one.ratio.minus(mean).abs().gt(allowed);
    if (isFar) leftOut.push(without(one, 'OUTLIER', `Its ratio is more than ${terms.spread} percent from the mean.`));
    return !isFar;
  });
  const factor = used.length < terms.minimum ? undefined : ratioOfSums(used);
  return {
    factor: factor ? rounded(factor, RATIO_PLACES) : null,
    mean: mean ? mean.toNumber() : null,
    unit: unit?.id ?? null,
    used: used.map(shown),
    leftOut,
    reason: factor ? null : tooFew(used.length, terms.minimum),
  };
}

const tooFew = (count: number, minimum: number): string =>
  `${count} ${count === 1 ? 'voyage qualifies' : 'voyages qualify'}, and at least ${minimum} are needed.`;

interface UnitKind {
  readonly unit: UnitOfMeasure | undefined;
  count: number;
}

/** The unit to which most figures convert, from the newest of these; in a tie, that of the newest figure. */
export function commonUnitOf(voyages: readonly Voyage[]): UnitOfMeasure | undefined {
  const kinds: UnitKind[] = [];
  const byKey = new Map<string, UnitKind>();
  for (const voyage of voyages) {
    const one = rate(voyage);
    if ('code' in one) continue;
    const { unit } = one;
    const key = conversionKey(unit);
    const kind = byKey.get(key) ?? kindFor(unit, kinds);
    byKey.set(key, kind);
    kind.count += 1;
  }
  const [first, ...others] = kinds;
  return others.reduce((most, kind) => (most && kind.count > most.count ? kind : most), first)?.unit;
}

/** Units with the same key convert to the same units. */
export function conversionKey(unit: UnitOfMeasure | undefined): string {
  const found = unit && knownUnitOf(unit);
  return found ? `${found.measures} ${found.condition}` : `unit ${unit?.id}`;
}

/** The first kind to which a unit converts, or a new one; only itself if it is not known. */
function kindFor(unit: UnitOfMeasure | undefined, kinds: UnitKind[]): UnitKind {
  const known = unit && knownUnitOf(unit);
  const found = known && kinds.find((one) => 'factor' in factorBetween(unit, one.unit));
  const kind = found ?? { unit, count: 0 };
  if (!found) kinds.push(kind);
  return kind;
}

/** Whether a voyage has a ratio whose figures convert to a unit. */
export const isRatedIn = (voyage: Voyage, unit: UnitOfMeasure | undefined): boolean =>
  !('code' in inCommonUnit(rate(voyage), unit));

const rates = new WeakMap<Voyage, Rated<Voyage> | LeftOutReason>();

/** The ratio of a voyage, with its figures in the shore's unit; cached. */
function rate<T extends Voyage>(voyage: T): Rated<T> | LeftOutReason {
  const known = rates.get(voyage) as Rated<T> | LeftOutReason | undefined;
  if (known) return known;
  const found = rateOf(voyage);
  rates.set(voyage, found);
  return found;
}

function rateOf<T extends Voyage>(voyage: T): Rated<T> | LeftOutReason {
  const { vessel, shore, problem } = voyage;
  if (problem) return problem;
  if (!vessel || !shore) return missing(`The figure of the ${vessel ? 'shore' : 'vessel'} is missing.`);
  const onBoard = inUnit(vessel, shore.unit);
  if ('reason' in onBoard) return missing(onBoard.reason);
  if (shore.value.lte(0)) return missing('The figure of the shore is not above zero.');
  const ratio = onBoard.div(shore.value).toDecimalPlaces(RATIO_PLACES);
  return { voyage, vessel: onBoard, shore: shore.value, unit: shore.unit, ratio };
}

/** The same in another unit; a voyage whose figures do not convert still has its ratio. */
function inCommonUnit<T>(one: Rated<T> | LeftOutReason, unit: UnitOfMeasure | undefined) {
  if ('code' in one) return one;
  const factor = factorBetween(one.unit, unit);
  if ('reason' in factor) return { ...missing(factor.reason), ratio: one.ratio.toNumber() };
  return { ...one, vessel: one.vessel.times(factor.factor), shore: one.shore.times(factor.factor), unit };
}

const missing = (reason: string): LeftOutReason => ({ code: 'MISSING_FIGURE', reason });

function ratioOfSums(voyages: readonly Rated<unknown>[]): Decimal | undefined {
  if (voyages.length === 0) return undefined;
  const sum = (side: 'vessel' | 'shore') => voyages.reduce((total, one) => total.plus(one[side]), new Decimal(0));
  return sum('vessel').div(sum('shore'));
}

const shown = <T>({ voyage, vessel, shore, ratio }: Rated<T>): RatedVoyage<T> => ({
  voyage,
  vessel: rounded(vessel, FIGURE_PLACES),
  shore: rounded(shore, FIGURE_PLACES),
  ratio: ratio.toNumber(),
});

const without = <T>(one: Rated<T>, code: LeftOutCode, reason: string): LeftOutVoyage<T> => ({
  ...shown(one),
  code,
  reason,
});
