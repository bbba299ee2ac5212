import { Decimal as Base } from 'decimal.js';
import { isAmount, LARGEST_AMOUNT, SMALLEST_AMOUNT } from '../../model/document-types/measurement.ts';

/** Decimal arithmetic with the 34 digits of IEEE 754 decimal128, rounded half away from zero as figures of the trade are. */
export const Decimal = Base.clone({ precision: 34, rounding: Base.ROUND_HALF_UP });
export type Decimal = Base;

const NUMERAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/** A finite number, or text that is a plain numeral; undefined for everything else. */
export function decimalOf(value: unknown): Decimal | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? new Decimal(value) : undefined;
  return typeof value === 'string' && NUMERAL.test(value.trim()) ? new Decimal(value.trim()) : undefined;
}

const [SMALLEST, LARGEST] = [new Decimal(SMALLEST_AMOUNT), new Decimal(LARGEST_AMOUNT)];

/** Between which sizes amounts are, beside 0, as reasons say it. */
export const AMOUNTS = 'it must be 0, or from 10⁻¹⁵ to 10¹⁵';

/** A number as `decimalOf` reads it that can be an amount: of others, sums and ratios may not be numbers any more. */
export function amountOf(value: unknown): Decimal | undefined {
  if (typeof value === 'number') return isAmount(value) ? new Decimal(value) : undefined;
  const read = decimalOf(value);
  return read && isDecimalAmount(read) ? read : undefined;
}

/** Whether a decimal can be an amount. */
export function isDecimalAmount(value: Decimal): boolean {
  const size = value.abs();
  return size.isZero() || (size.lte(LARGEST) && size.gte(SMALLEST));
}

/** The number of a decimal, with at most that many places. */
export const rounded = (value: Decimal, places: number): number => value.toDecimalPlaces(places).toNumber();

/** Places of figures that were converted or summed. */
export const FIGURE_PLACES = 6;
/** Places of percentages. */
export const PERCENT_PLACES = 4;

/** `part` as a percentage of `whole`; undefined when the whole is zero. */
export const percentOf = (part: Decimal, whole: Decimal): Decimal | undefined =>
  whole.isZero() ? undefined : part.div(whole).times(100);
