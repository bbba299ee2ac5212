import { Decimal } from './decimal.ts';

/** The difference that is still accepted, in percent of what was given. */
export interface Tolerance {
  readonly percent: number | null;
  readonly origin: 'argument' | 'cargo' | 'customary';
  /** Why there is none. */
  readonly reason: string | null;
  /** The percentage in decimals, as it is compared. */
  readonly limit: Decimal | undefined;
}

/** What the trade accepts where nothing was agreed. */
const CUSTOMARY_PERCENT = 0.5;

const PERCENT = /^(?:±|\+\/-|\+-|max\.?|<=?|≤)?\s*(\d{1,3}(?:[.,]\d+)?)\s*(?:%|percent|pct\.?)?$/i;

/** The tolerance that was asked for, else the smallest that the job's cargoes name, else the customary one. */
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
  return tolerance(Decimal.min(...percents), 'cargo');
}

const tolerance = (limit: Decimal, origin: Tolerance['origin']): Tolerance => ({
  percent: limit.toNumber(),
  origin,
  reason: null,
  limit,
});
