import { Decimal, rounded } from './decimal.ts';

const MS_PER_HOUR = 3_600_000;
const HOUR_PLACES = 4;

/** Milliseconds as hours, to four places. */
export const hoursOf = (milliseconds: number): number =>
  rounded(new Decimal(milliseconds).div(MS_PER_HOUR), HOUR_PLACES);

/** Hours as whole milliseconds. */
export const millisecondsOf = (hours: number): number => Math.round(hours * MS_PER_HOUR);
