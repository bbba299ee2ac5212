import { Decimal, FIGURE_PLACES, PERCENT_PLACES, percentOf, rounded } from '../decimal.ts';
import { inUnit, type VoyageFigure } from '../experience/voyages.ts';
import { factorBetween, type UnitOfMeasure, unitOfSum } from '../units.ts';

/** A figure of the whole voyage, or why there is none. */
export type VoyageSum = VoyageFigure | { readonly reason: string };

/** The figures of a voyage, for all its jobs together. */
interface VoyageFigures {
  /** What the shore loaded; without a loading, the figure of the bill of lading. */
  readonly shoreLoaded: VoyageSum;
  /** What was on board when the vessel left, and when it arrived. */
  readonly departure: VoyageSum;
  readonly arrival: VoyageSum;
  /** What was on board before loading, and remained after discharge. */
  readonly obq: VoyageSum;
  readonly rob: VoyageSum;
  readonly outturn: VoyageSum;
  /** Why departure and OBQ, or arrival and ROB, are valid only together: the vessel was measured at several places. */
  readonly loadedApart?: string | undefined;
  readonly dischargedApart?: string | undefined;
  /** Why what was loaded cannot be compared with what was discharged: they are not the same grades. */
  readonly unlike?: string | undefined;
  readonly loadFactor: VoyageFactor;
  readonly dischargeFactor: VoyageFactor;
}

/** A factor of the vessel, or why there is none. */
export type VoyageFactor = { readonly factor: Decimal } | { readonly reason: string };

/** What one side gave and the other received; a loss is negative. */
export interface VoyageDifference {
  readonly given: number | null;
  readonly received: number | null;
  readonly difference: number | null;
  readonly percent: number | null;
  readonly perMille: number | null;
  readonly reason: string | null;
}

export const VOYAGE_DIFFERENCES = [
  'shoreToShip',
  'transit',
  'shipToShore',
  'shoreToShore',
  'onBoard',
  'theoreticalLoaded',
  'theoreticalDischarged',
] as const;
type VoyageDifferences = Readonly<Record<(typeof VOYAGE_DIFFERENCES)[number], VoyageDifference>>;

export interface AnalysedVoyage extends VoyageDifferences {
  /** The unit of all figures: that of the first known figure, with those on board last. */
  readonly unit: UnitOfMeasure | undefined;
  readonly obq: number | null;
  readonly rob: number | null;
  readonly loadFactor: number | null;
  readonly dischargeFactor: number | null;
  /** Why any of the four is null. */
  readonly reasons: readonly string[];
}

/** A figure in the unit of the analysis, with the unit that it was reported in. */
interface Known {
  readonly value: Decimal;
  readonly unit: UnitOfMeasure | undefined;
}

type Value = Known | { readonly reason: string };

/** The differences of a voyage by API MPMS 17.5 / EI HM 64 (docs/calculations.md). */
export function analyseVoyage(figures: VoyageFigures): AnalysedVoyage {
  const { shoreLoaded, departure, arrival, outturn, loadedApart, dischargedApart, unlike } = figures;
  const unit = [shoreLoaded, departure, arrival, outturn, figures.obq, figures.rob].find(
    (sum) => 'value' in sum && sum.unit,
  );
  const common = unit && 'value' in unit ? unit.unit : undefined;
  const inCommon = (sum: VoyageSum): Value => {
    if ('reason' in sum) return sum;
    const value = inUnit(sum, common);
    return 'reason' in value ? value : { value, unit: sum.unit };
  };
  const [loaded, left, came, landed] = [shoreLoaded, departure, arrival, outturn].map(inCommon) as [
    Value,
    Value,
    Value,
    Value,
  ];
  const [obq, rob] = [inCommon(figures.obq), inCommon(figures.rob)];
  const [onLoading, onDischarge] = [minus(left, obq), minus(came, rob)];
  const [before, after] = [unless(loadedApart, obq), unless(dischargedApart, rob)];
  const own = [before, after, figures.loadFactor, figures.dischargeFactor];
  return {
    unit: common,
    obq: shown(before),
    rob: shown(after),
    loadFactor: factorOf(figures.loadFactor),
    dischargeFactor: factorOf(figures.dischargeFactor),
    reasons: own.flatMap((figure) => ('reason' in figure ? [figure.reason] : [])),
    shoreToShip: differenceOf(loaded, onLoading),
    transit: ofLike(unlike, differenceOf(unless(loadedApart, left), unless(dischargedApart, came))),
    shipToShore: differenceOf(onDischarge, landed),
    shoreToShore: ofLike(unlike, differenceOf(loaded, landed)),
    onBoard: ofLike(unlike, differenceOf(before, after)),
    theoreticalLoaded: differenceOf(loaded, dividedBy(onLoading, figures.loadFactor)),
    theoreticalDischarged: differenceOf(dividedBy(onDischarge, figures.dischargeFactor), landed),
  };
}

const unless = (reason: string | undefined, figure: Value): Value =>
  'value' in figure && reason !== undefined ? { reason } : figure;

/** Without the difference of figures that are not of the same grades. */
const ofLike = (unlike: string | undefined, found: VoyageDifference): VoyageDifference =>
  unlike === undefined || found.difference === null ? found : { ...found, ...NO_DIFFERENCE, reason: unlike };

const NO_DIFFERENCE = { difference: null, percent: null, perMille: null };

function minus(figure: Value, other: Value): Value {
  if ('reason' in figure) return figure;
  if ('reason' in other) return other;
  const factor = factorBetween(other.unit, figure.unit);
  if ('reason' in factor) return factor;
  return { value: figure.value.minus(other.value), unit: unitOfSum([figure.unit, other.unit]) };
}

function dividedBy(figure: Value, divisor: VoyageFactor): Value {
  if ('reason' in figure) return figure;
  return 'reason' in divisor ? divisor : { ...figure, value: figure.value.div(divisor.factor) };
}

function differenceOf(given: Value, received: Value): VoyageDifference {
  const known = { given: shown(given), received: shown(received) };
  if ('reason' in given) return { ...known, ...NO_DIFFERENCE, reason: given.reason };
  if ('reason' in received) return { ...known, ...NO_DIFFERENCE, reason: received.reason };
  const factor = factorBetween(received.unit, given.unit);
  if ('reason' in factor) return { ...known, ...NO_DIFFERENCE, reason: factor.reason };
  const difference = received.value.minus(given.value);
  const percent = percentOf(difference, given.value);
  return {
    ...known,
    difference: rounded(difference, FIGURE_PLACES),
    percent: percent ? rounded(percent, PERCENT_PLACES) : null,
    perMille: percent ? rounded(percent.times(10), PERCENT_PLACES) : null,
    reason: percent ? null : 'A percentage of zero is undefined.',
  };
}

const shown = (figure: Value): number | null => ('value' in figure ? rounded(figure.value, FIGURE_PLACES) : null);

const factorOf = (factor: VoyageFactor): number | null =>
  'factor' in factor ? new Decimal(factor.factor).toNumber() : null;
