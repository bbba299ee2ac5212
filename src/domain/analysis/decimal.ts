import { Decimal as Base } from 'decimal.js';
import { isAmount, LARGEST_AMOUNT, SMALLEST_AMOUNT } from '../../model/document-types/measurement.ts';

/** Decimal arithmetic with the 34 digits of IEEE 754 decimal128, rounded half away from zero as is usual for figures of the trade. */
export const Decimal = Base.clone({ precision: 34, rounding: Base.ROUND_HALF_UP });
export type Decimal = Base;

/** A numeral with a decimal point. */
export const NUMERAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/** No number is longer; the time to reject a text that is not a number, and to compute with one, grows with its length or faster. */
export const LONGEST_NUMBER = 100;

/** A finite number, or a text that is a plain numeral; undefined for anything else. */
export function decimalOf(value: unknown): Decimal | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? new Decimal(value) : undefined;
  if (typeof value !== 'string' || value.length > LONGEST_NUMBER) return undefined;
  return NUMERAL.test(value.trim()) ? new Decimal(value.trim()) : undefined;
}

const [SMALLEST, LARGEST] = [new Decimal(SMALLEST_AMOUNT), new Decimal(LARGEST_AMOUNT)];

/** The range of amounts, besides 0, as error reasons put it. */
export const AMOUNTS = 'it must be 0, or from 10⁻¹⁵ to 10¹⁵';

/** A number as read by `decimalOf` that is within the range of amounts: beyond it, sums and ratios may no longer be numbers. */
export function amountOf(value: unknown): Decimal | undefined {
  if (typeof value === 'number') return isAmount(value) ? new Decimal(value) : undefined;
  const read = decimalOf(value);
  return read && isDecimalAmount(read) ? read : undefined;
}

/** Whether a decimal is within the range of amounts. */
export function isDecimalAmount(value: Decimal): boolean {
  const size = value.abs();
  return size.isZero() || (size.lte(LARGEST) && size.gte(SMALLEST));
}

/** A decimal as a number, rounded to at most that many decimal places. */
export const rounded = (value: Decimal, places: number): number => value.toDecimalPlaces(places).toNumber();

/** Decimal places of figures that were converted or summed. */
export const FIGURE_PLACES = 6;
/** Decimal places of percentages. */
export const PERCENT_PLACES = 4;

/** `part` as a percentage of `whole`; undefined if the whole is zero. */
export const percentOf = (part: Decimal, whole: Decimal): Decimal | undefined =>
  whole.isZero() ? undefined : part.div(whole).times(100);
