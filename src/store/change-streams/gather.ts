import type { ChangeFeed } from './change-feed.ts';
import type { WatchedChange } from './watch.ts';

/** How long changes come together while a projection catches up: what it reads has come together already. */
const CATCHING_UP_MS = 50;
const LONGEST_MS = 1_000;
/** How much longer than the last batch took: what follows takes no more than this part of a process. */
const TIMES = 10;
/** A projection that is behind by more than that catches up. */
const BEHIND_MS = 3_000;

/** The last batch, and how long what comes after it is let come together at least. */
interface Gathered<C> {
  readonly last: C | undefined;
  readonly tookMs: number;
  readonly gatherMs: number;
}

/**
 * Lets changes come together, longer where there are many: they share what is read and written. It ends when a reader waits for
 * them.
 */
export function gather<C extends WatchedChange>(
  feed: ChangeFeed<C>,
  { last, tookMs, gatherMs }: Gathered<C>,
): Promise<void> {
  const isBehind = last?.wallTime !== undefined && Date.now() - last.wallTime.getTime() > BEHIND_MS;
  const wanted = Math.max(gatherMs, Math.min(tookMs * TIMES, LONGEST_MS));
  return feed.gather(isBehind ? CATCHING_UP_MS : wanted, isMark);
}

/** Whether it is the mark of a reader (`Freshness`), who waits until it has been passed. */
const isMark = ({ ns }: WatchedChange): boolean => ns?.coll === 'leases';
