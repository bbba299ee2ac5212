import { hoursOf, millisecondsOf } from './hours.ts';
import { type Interval, union, within } from './intervals.ts';
import type { TimedEvent } from './time-summary.ts';

/** What a charterparty says about laytime. */
export interface LaytimeTerms {
  readonly allowedHours: number;
  /** How long after the notice laytime begins. */
  readonly noticeHours: number;
  /** The names or xrefs of the event types that begin laytime, end it, and do not count. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly excluding: readonly string[];
}

export interface Laytime {
  readonly from: Date | null;
  readonly to: Date | null;
  readonly allowedHours: number;
  readonly usedHours: number | null;
  readonly excludedHours: number | null;
  readonly remainingHours: number | null;
  readonly isOnDemurrage: boolean | null;
  readonly reason: string | null;
}

/** An event with the names of its type, as `nameKey` has them; events of one type share the list. */
export interface NamedEvent {
  readonly typeKeys: readonly string[];
}

/** Laytime used against the allowance; once that is used up, nothing is excluded any more (docs/calculations.md). */
export function laytimeOf<T extends NamedEvent>(timed: readonly TimedEvent<T>[], terms: LaytimeTerms): Laytime {
  const begins = terms.from.length === 0 ? timed : timed.filter(isCalled(terms.from));
  const ends = terms.to.length === 0 ? timed : timed.filter(isCalled(terms.to));
  const notice = earliest(begins);
  const to = latest(ends);
  const refused = (reason: string): Laytime => ({
    from: null,
    to: null,
    allowedHours: terms.allowedHours,
    usedHours: null,
    excludedHours: null,
    remainingHours: null,
    isOnDemurrage: null,
    reason,
  });
  if (notice === undefined) return refused(noEvent(terms.from));
  if (to === undefined) return refused(noEvent(terms.to));
  const from = notice + millisecondsOf(terms.noticeHours);
  if (to < from) return refused('Laytime would end before it begins.');
  const period = { from, to };
  const excluded = within(union(timed.filter(isCalled(terms.excluding))), period);
  const allowed = millisecondsOf(terms.allowedHours);
  const used = usedOf(period, excluded, allowed);
  return {
    from: new Date(from),
    to: new Date(to),
    allowedHours: terms.allowedHours,
    usedHours: hoursOf(used),
    excludedHours: hoursOf(to - from - used),
    remainingHours: hoursOf(allowed - used),
    isOnDemurrage: used > allowed,
    reason: null,
  };
}

/** Counted time: exceptions stop the clock until the allowance is used up. */
function usedOf({ from, to }: Interval, excluded: readonly Interval[], allowed: number): number {
  let used = 0;
  let at = from;
  for (const stop of excluded) {
    const counted = used + stop.from - at;
    if (counted >= allowed) break;
    used = counted;
    at = stop.to;
  }
  return used + to - at;
}

const noEvent = (names: readonly string[]): string =>
  names.length === 0 ? 'The time log has no event.' : `The time log has no event called ${names.join(' or ')}.`;

/** Whether an event has one of these names; each type is looked up once. */
function isCalled(names: readonly string[]): (timed: TimedEvent<NamedEvent>) => boolean {
  const wanted = new Set(names.map(nameKey));
  const known = new Map<readonly string[], boolean>();
  return ({ event: { typeKeys } }) => {
    const found = known.get(typeKeys) ?? typeKeys.some((name) => wanted.has(name));
    known.set(typeKeys, found);
    return found;
  };
}

/** A name as names are compared: letter case and surrounding space do not matter. */
export const nameKey = (name: string): string => name.trim().toLowerCase();

const earliest = (timed: readonly Interval[]): number | undefined =>
  timed.reduce<number | undefined>((min, { from }) => Math.min(min ?? from, from), undefined);
const latest = (timed: readonly Interval[]): number | undefined =>
  timed.reduce<number | undefined>((max, { to }) => Math.max(max ?? to, to), undefined);
