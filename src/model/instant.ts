const DATE = String.raw`(\d{4})-(\d{2})-(\d{2})`;
const TIME = String.raw`[Tt ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d))`;
const PATTERN = new RegExp(`^${DATE}(?:${TIME})?$`);

/** The accepted forms of a datetime, for error texts. */
export const DATETIME_FORMS =
  'an ISO 8601 date and time with seconds and an offset (2026-01-31T08:30:00Z), or a date (2026-01-31)';

/** What else to say of a text that is no datetime: a + in a query string means a space, so an offset such as +02:00 arrives as " 02:00". */
export const hintOnOffset = (text: string): string =>
  / \d\d:?\d\d$/.test(text) ? '; a + in an address must be written as %2B' : '';

/**
 * The instant of a datetime (contract §4): RFC 3339, or a date alone, which is midnight UTC.
 * Undefined for anything else, impossible dates included; a leap second is read as the next second.
 */
export function instantOf(text: string): Date | undefined {
  return plainInstant(text) ?? anyInstant(text);
}

const DAY_MS = 86_400_000;

/**
 * The instant of a datetime in a request: a leap second only at the end of a month in UTC, where one can occur
 * (RFC 3339, 5.7). In datetimes already stored, leap seconds are read anywhere.
 */
export function requestedInstantOf(text: string): Date | undefined {
  const instant = instantOf(text);
  if (!instant || !text.startsWith(':60', 'YYYY-MM-DDThh:mm'.length)) return instant;
  const beginsDay = [instant.getUTCHours(), instant.getUTCMinutes(), instant.getUTCSeconds()].every(
    (part) => part === 0,
  );
  return beginsDay && instant.getUTCDate() === 1 ? instant : undefined;
}

/** The last instant of a period in a request that ends with this datetime: a date alone includes the whole day (UTC). */
export function lastInstantOf(text: string): Date | undefined {
  const instant = requestedInstantOf(text);
  return instant && isDate(text) ? new Date(instant.getTime() + DAY_MS - 1) : instant;
}

/** Later days are left to the full parser, which knows months and leap years. */
const DAYS_OF_EVERY_MONTH = 28;

/** Fast path for the usual forms, `2026-01-31T08:30:00Z` and `2026-01-31`; undefined for any other text, which may still be a datetime. */
function plainInstant(text: string): Date | undefined {
  const isWhole = text.length === 20 && text[10] === 'T' && text[13] === ':' && text[16] === ':' && text[19] === 'Z';
  if (!(isWhole || text.length === 10) || text[4] !== '-' || text[7] !== '-') return undefined;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (!(year >= 100 && month >= 1 && month <= 12 && day >= 1 && day <= DAYS_OF_EVERY_MONTH)) return undefined;
  if (!isWhole) return new Date(Date.UTC(year, month - 1, day));
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (!(hour < 24 && minute < 60 && second < 60)) return undefined;
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second));
}

/** The number of two digits; NaN if they are other characters. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

const ZERO = 0x30;

function anyInstant(text: string): Date | undefined {
  const match = PATTERN.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', sign, offsetHour, offsetMinute] =
    match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  date.setUTCHours(
    Number(hour),
    Number(minute),
    Number(second), // 60, a leap second, becomes the first second of the next minute
    Number(fraction.slice(0, 3).padEnd(3, '0')),
  );
  const offset = sign ? (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1) : 0;
  return new Date(date.getTime() - offset * 60_000);
}

/** Whether one datetime is before another, to any fraction of a second; false if either is invalid. */
export function isBefore(text: string, other: string): boolean {
  const [one, another] = [instantOf(text)?.getTime(), instantOf(other)?.getTime()];
  if (one === undefined || another === undefined) return false;
  const [finer, others] = [belowMilliseconds(text), belowMilliseconds(other)];
  const digits = Math.max(finer.length, others.length);
  return one < another || (one === another && finer.padEnd(digits, '0') < others.padEnd(digits, '0'));
}

/** The fractional digits of the second from the fourth on. */
const belowMilliseconds = (text: string): string => /\.\d{3}(\d+)/.exec(text)?.[1] ?? '';

/** Whether a datetime is a date alone. */
const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);
