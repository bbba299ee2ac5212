import { Decimal } from './decimal.ts';

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
  const named = cargoes.filter((text) => text !== undefined && text !== null && String(text).trim() !== '');
  if (named.length === 0) return tolerance(new Decimal(CUSTOMARY_PERCENT), 'customary');
  const read = named.map((text) => PERCENT.exec(String(text).trim())?.[1]);
  const unread = read.indexOf(undefined);
  if (unread >= 0) {
    const reason = `The tolerance of the cargo, "${String(named[unread])}", is not a percentage.`;
    return { percent: null, origin: 'cargo', reason, limit: undefined };
  }
  const percents = read.map((text) => new Decimal(String(text).replace(',', '.')));
  return tolerance(
    percents.reduce((least, percent) => (percent.lt(least) ? percent : least)),
    'cargo',
  );
}

const tolerance = (limit: Decimal, origin: Tolerance['origin']): Tolerance => ({
  percent: limit.toNumber(),
  origin,
  reason: null,
  limit,
});
