import { Decimal, LONGEST_NUMBER } from './decimal.ts';

/** The difference still accepted, in percent of the given quantity. */
export interface Tolerance {
  readonly percent: number | null;
  readonly origin: 'argument' | 'cargo' | 'customary';
  /** Why there is none. */
  readonly reason: string | null;
  /** The percentage as a decimal, for comparison. */
  readonly limit: Decimal | undefined;
}

/** What the trade accepts if nothing was agreed. */
const CUSTOMARY_PERCENT = 0.5;

const PERCENT = /^(?:±|\+\/-|\+-|max\.?|<=?|≤)?\s*(\d{1,3}(?:[.,]\d+)?)\s*(?:%|percent|pct\.?)?$/i;

/** The requested tolerance, else the smallest named by the job's cargoes, else the customary one. */
export function toleranceOf(asked: number | undefined, cargoes: readonly unknown[]): Tolerance {
  if (asked !== undefined) return tolerance(new Decimal(asked), 'argument');
  const named = cargoes.flatMap((text) => (text === undefined || text === null ? [] : String(text)));
  const given = named.filter((text) => isLong(text) || text.trim() !== '');
  if (given.length === 0) return tolerance(new Decimal(CUSTOMARY_PERCENT), 'customary');
  const read = given.map((text) => (isLong(text) ? undefined : PERCENT.exec(text.trim())?.[1]));
  const unread = given[read.indexOf(undefined)];
  if (unread !== undefined) {
    const quoted = isLong(unread) ? `of more than ${LONGEST_NUMBER} characters` : `"${unread}"`;
    const reason = `The tolerance of the cargo, ${quoted}, is not a percentage.`;
    return { percent: null, origin: 'cargo', reason, limit: undefined };
  }
  const percents = read.map((text) => new Decimal(String(text).replace(',', '.')));
  return tolerance(
    percents.reduce((least, percent) => (percent.lt(least) ? percent : least)),
    'cargo',
  );
}

const isLong = ({ length }: string): boolean => length > LONGEST_NUMBER;

const tolerance = (limit: Decimal, origin: Tolerance['origin']): Tolerance => ({
  percent: limit.toNumber(),
  origin,
  reason: null,
  limit,
});
