import { Decimal, rounded } from './decimal.ts';

const MS_PER_HOUR = 3_600_000;
const HOUR_PLACES = 4;
/** The fourth decimal place of an hour. */
const MS_PER_PLACE = 360;
/** Up to here, the quotient of a whole number of milliseconds is exact enough to round as in decimals. */
const EXACT_MS = 1e15;

/** Milliseconds as hours, to four decimal places. */
export function hoursOf(milliseconds: number): number {
  const size = Math.abs(milliseconds);
  if (!Number.isInteger(size) || size > EXACT_MS) {
    return rounded(new Decimal(milliseconds).div(MS_PER_HOUR), HOUR_PLACES);
  }
  const hours = Math.round(size / MS_PER_PLACE) / 10 ** HOUR_PLACES;
  return milliseconds < 0 ? -hours : hours;
}

/** Hours as whole milliseconds. */
export const millisecondsOf = (hours: number): number => Math.round(hours * MS_PER_HOUR);
