import { Decimal } from '../decimal.ts';
import { type Figure, figureCalled, figuresOf, isBareZero, type Measurement } from '../measurements.ts';
import { factorBetween, type UnitOfMeasure, unitOfSum } from '../units.ts';
import { type LeftOutReason, weightiest } from './left-out.ts';

/** One side's figure of a voyage, in its unit. */
export interface VoyageFigure {
  readonly value: Decimal;
  readonly unit: UnitOfMeasure | undefined;
}

/** One loading or discharge of a vessel: both figures, or the reason why it cannot count. */
export interface Voyage {
  readonly vessel?: VoyageFigure | undefined;
  readonly shore?: VoyageFigure | undefined;
  readonly problem?: LeftOutReason | undefined;
}

/** One job of a voyage: a grade of the cargo. */
export interface Grade extends Voyage {
  readonly id: string;
  readonly date: Date;
  /** The trip number; jobs without one stand alone. */
  readonly trip: string | undefined;
}

/** A voyage with all its grades; its figures are their totals. */
export interface CombinedVoyage<T extends Grade> extends Voyage {
  readonly grades: readonly T[];
  /** The latest of the grades' dates. */
  readonly date: Date;
}

/** Combines the grades of one vessel and activity by trip, newest first. One grade that may not count excludes its whole voyage. */
export function voyagesOf<T extends Grade>(grades: readonly T[]): CombinedVoyage<T>[] {
  const trips = Map.groupBy(grades, ({ trip, id }) => (trip === undefined ? `job ${id}` : `trip ${trip}`));
  return [...trips.values()].map(combined).sort(newestFirst);
}

function combined<T extends Grade>(grades: readonly T[]): CombinedVoyage<T> {
  const ordered = [...grades].sort((a, b) => b.date.getTime() - a.date.getTime() || (a.id < b.id ? -1 : 1));
  const date = ordered[0]?.date ?? new Date(0);
  const problem = weightiest(ordered.flatMap((grade) => grade.problem ?? []));
  if (problem) return { grades: ordered, date, problem };
  const vessel = total(ordered.map((grade) => grade.vessel));
  const shore = total(ordered.map((grade) => grade.shore));
  const reason = 'reason' in vessel ? vessel.reason : 'reason' in shore ? shore.reason : undefined;
  if (reason !== undefined) return { grades: ordered, date, problem: { code: 'MISSING_FIGURE', reason } };
  return { grades: ordered, date, vessel: vessel as VoyageFigure, shore: shore as VoyageFigure };
}

const newestFirst = (a: CombinedVoyage<Grade>, b: CombinedVoyage<Grade>): number =>
  b.date.getTime() - a.date.getTime() || ((a.grades[0]?.id ?? '') < (b.grades[0]?.id ?? '') ? -1 : 1);

type Found = VoyageFigure | { readonly reason: string };

/** The sum of the figures; if units do not convert, the reason names them. */
export function total(figures: readonly (VoyageFigure | undefined)[]): Found {
  const [first] = figures;
  if (!first || figures.includes(undefined)) return { reason: 'A figure is missing.' };
  if (figures.length === 1) return first;
  const known = figures as readonly VoyageFigure[];
  const unit = unitOfSum(known.map((figure) => figure.unit));
  let value = new Decimal(0);
  for (const figure of known) {
    const factor = factorBetween(figure.unit, unit);
    if ('reason' in factor) return factor;
    value = value.plus(figure.value.times(factor.factor));
  }
  return { value, unit };
}

/** A measurement of one side; a TCV that was not reported is calculated. */
export function sideFigure(measurements: readonly Measurement[], called: string, side: string): Found {
  const figures = figuresOf(measurements);
  const figure = figureCalled(figures, called);
  const calculated = !figure && called.trim().toUpperCase() === 'TCV' ? calculatedTcv(figures) : undefined;
  if (calculated) return calculated;
  if (!figure) return { reason: `There is no ${called} of the ${side}.` };
  return figure.value ? { value: figure.value, unit: figure.unit } : { reason: `The ${side}: ${figure.reason}` };
}

/** TCV = GSV + free water, in the unit of the GSV; undefined unless both were reported. */
function calculatedTcv(figures: readonly Figure[]): Found | undefined {
  const [gsv, water] = ['GSV', 'FW'].map((part) => figureCalled(figures, part));
  if (!gsv?.value || !water?.value) return undefined;
  if (isBareZero(water)) return { value: gsv.value, unit: gsv.unit };
  const factor = factorBetween(water.unit, gsv.unit);
  return 'reason' in factor ? factor : { value: gsv.value.plus(water.value.times(factor.factor)), unit: gsv.unit };
}

/** The quantity on board before a loading (OBQ) or after a discharge (ROB), in its unit; undefined if unreported or a zero without unit. */
export function onBoard(measurements: readonly Measurement[], called: 'OBQ' | 'ROB'): Found | undefined {
  const figure = figureCalled(figuresOf(measurements), called);
  if (!figure || isBareZero(figure)) return undefined;
  return figure.value ? { value: figure.value, unit: figure.unit } : { reason: `The vessel: ${figure.reason}` };
}

/** The vessel's figure less the quantity on board. */
export function less(figure: VoyageFigure, quantity: Found | undefined): Found {
  if (!quantity) return figure;
  if ('reason' in quantity) return quantity;
  return total([figure, { value: quantity.value.neg(), unit: quantity.unit }]);
}

/** A computed figure in another unit. */
export function inUnit(figure: VoyageFigure, unit: UnitOfMeasure | undefined): Decimal | { readonly reason: string } {
  const factor = factorBetween(figure.unit, unit);
  return 'reason' in factor ? factor : new Decimal(figure.value).times(factor.factor);
}
