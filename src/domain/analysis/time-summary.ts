import { instantOf } from '../../model/instant.ts';
import { hoursOf } from './hours.ts';
import { between, type Interval, lengthOf, union } from './intervals.ts';

/** One entry of a time log as reported. */
export interface LoggedEvent {
  /** The event type: one key for all records that describe the same type. */
  readonly type: string | undefined;
  readonly category: unknown;
  readonly start: unknown;
  readonly end: unknown;
}

/** An event whose times are readable; without an end, it ends where it starts. */
export interface TimedEvent<T> extends Interval {
  readonly event: T;
  readonly isOpen: boolean;
}

export interface DelayOfType<T> {
  readonly events: readonly T[];
  readonly hours: number;
}

export interface TimeGap<T> {
  readonly from: Date;
  readonly to: Date;
  readonly hours: number;
  /** The last event to end before the gap, and the event that ends it. */
  readonly after: T;
  readonly before: T;
}

export interface TimeSummary<T> {
  readonly start: Date | null;
  readonly end: Date | null;
  readonly timeAtPort: number | null;
  readonly delay: number | null;
  readonly delayOverlap: number | null;
  readonly delays: readonly DelayOfType<T>[];
  readonly gaps: readonly TimeGap<T>[];
  readonly open: readonly T[];
  readonly leftOut: readonly { readonly event: T; readonly reason: string }[];
  readonly timed: readonly TimedEvent<T>[];
  readonly reason: string | null;
}

/** Totals a time log: overlaps count once, and an event without an end takes no time (docs/calculations.md). */
export function summarizeTime<T extends LoggedEvent>(events: readonly T[], gapsOver = 0): TimeSummary<T> {
  const summary = (known.get(events) as TimeSummary<T> | undefined) ?? summaryOf(events);
  known.set(events, summary);
  return { ...summary, gaps: summary.gaps.filter(({ hours }) => hours > gapsOver) };
}

/** With all gaps, cached by the list of events. */
const known = new WeakMap<readonly LoggedEvent[], TimeSummary<LoggedEvent>>();

function summaryOf<T extends LoggedEvent>(events: readonly T[]): TimeSummary<T> {
  const leftOut: { event: T; reason: string }[] = [];
  const timed: TimedEvent<T>[] = [];
  for (const event of events) {
    const read = timedEvent(event);
    if (typeof read === 'string') leftOut.push({ event, reason: read });
    else timed.push(read);
  }
  timed.sort((a, b) => a.from - b.from || a.to - b.to);
  const open = timed.filter(({ isOpen }) => isOpen).map(({ event }) => event);
  const delaying = timed.filter(({ event }) => event.category === 'delay');
  const delays = [...Map.groupBy(delaying, ({ event }) => event.type).values()].map((ofType) => ({
    events: ofType.map(({ event }) => event),
    milliseconds: lengthOf(union(ofType)),
  }));
  const total = lengthOf(union(delaying));
  const log = union(timed);
  const [first, last] = [log[0], log.at(-1)];
  const isTimed = first !== undefined && last !== undefined;
  return {
    start: isTimed ? new Date(first.from) : null,
    end: isTimed ? new Date(last.to) : null,
    timeAtPort: isTimed ? hoursOf(last.to - first.from) : null,
    delay: isTimed ? hoursOf(total) : null,
    delayOverlap: isTimed ? hoursOf(delays.reduce((sum, { milliseconds }) => sum + milliseconds, 0) - total) : null,
    delays: delays
      .sort((a, b) => b.milliseconds - a.milliseconds)
      .map(({ events: ofType, milliseconds }) => ({ events: ofType, hours: hoursOf(milliseconds) })),
    gaps: gapsIn(log, timed),
    open,
    leftOut,
    timed,
    reason: isTimed ? openDelays(open) : 'The time log has no event whose start can be read.',
  };
}

function timedEvent<T extends LoggedEvent>(event: T): TimedEvent<T> | string {
  const [start, end] = [timeOf(event.start), timeOf(event.end)];
  if (start === undefined) return 'It has no start that can be read.';
  if (isGiven(event.end) && end === undefined) return 'Its end cannot be read.';
  if (end !== undefined && end < start) return 'It ends before it starts.';
  return { event, from: start, to: end ?? start, isOpen: end === undefined };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
const timeOf = (value: unknown): number | undefined =>
  typeof value === 'string' ? instantOf(value)?.getTime() : undefined;

/** The gaps of a log, each with the first events at its ends. */
function gapsIn<T>(log: readonly Interval[], timed: readonly TimedEvent<T>[]): TimeGap<T>[] {
  const ordered = timed.toReversed();
  const [starting, ending] = (['from', 'to'] as const).map(
    (end) => new Map(ordered.map((one) => [one[end], one.event])),
  );
  return between(log).map(({ from, to }) => ({
    ...{ from: new Date(from), to: new Date(to), hours: hoursOf(to - from) },
    ...{ after: ending?.get(from) as T, before: starting?.get(to) as T },
  }));
}

function openDelays(open: readonly LoggedEvent[]): string | null {
  const delays = open.filter(({ category }) => category === 'delay').length;
  if (delays === 0) return null;
  return `${delays === 1 ? 'One delay has' : `${delays} delays have`} no end yet, and no length is counted for it.`;
}
