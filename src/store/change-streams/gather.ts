import type { ChangeFeed } from './change-feed.ts';
import type { WatchedChange } from './watch.ts';

/** How long changes are gathered while a projection catches up: its input has already piled up. */
const CATCHING_UP_MS = 50;
const LONGEST_MS = 1_000;
/** The gathering time as a multiple of the last batch's duration, which caps the share of a process this work takes. */
const TIMES = 10;
/** A projection further behind than this is catching up. */
const BEHIND_MS = 3_000;

/** The last batch, and the minimum gathering time after it. */
interface Gathered<C> {
  readonly last: C | undefined;
  readonly tookMs: number;
  readonly gatherMs: number;
}

/** Gathers changes, for longer when there are many, so that they share reads and writes. Ends early when a reader waits for them. */
export function gather<C extends WatchedChange>(
  feed: ChangeFeed<C>,
  { last, tookMs, gatherMs }: Gathered<C>,
): Promise<void> {
  const isBehind = last?.wallTime !== undefined && Date.now() - last.wallTime.getTime() > BEHIND_MS;
  const wanted = Math.max(gatherMs, Math.min(tookMs * TIMES, LONGEST_MS));
  return feed.gather(isBehind ? CATCHING_UP_MS : wanted, isMark);
}

/** Whether it is the mark of a reader (`Freshness`) waiting for it to be passed. */
const isMark = ({ ns }: WatchedChange): boolean => ns?.coll === 'leases';
