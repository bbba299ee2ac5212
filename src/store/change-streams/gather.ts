import type { Db } from 'mongodb';
import { pause } from '../work-under-lease.ts';
import { newestMark } from './freshness.ts';

/** What changes within this time is processed at once: a job and its results often come together. */
const SHORTEST_MS = 200;
/** The same while a projection catches up: what it reads has come together already. */
const CATCHING_UP_MS = 50;
const LONGEST_MS = 1_000;
/** How much longer than the last batch took: what follows takes no more than this part of a process. */
const TIMES = 10;
const LOOK_MS = 40;
/** A projection that is behind by more than that catches up. */
const BEHIND_MS = 3_000;

/** Who waits for a projection, and how long its last batch took. */
export interface Gathering {
  /** The name of the mark that readers set. */
  readonly mark: string;
  /** The last one that was passed. */
  readonly passed: number;
  readonly tookMs: number;
  /** When the last change happened that was processed. */
  readonly at: Date | undefined;
  readonly stopped: AbortSignal;
}

/**
 * Lets changes come together, longer where there are many: they share what is read and written. It ends when a reader waits for
 * them.
 */
export async function gather(db: Db, { mark, passed, tookMs, at, stopped }: Gathering): Promise<void> {
  const isBehind = at !== undefined && Date.now() - at.getTime() > BEHIND_MS;
  const wanted = Math.max(SHORTEST_MS, Math.min(tookMs * TIMES, LONGEST_MS));
  const until = performance.now() + (isBehind ? CATCHING_UP_MS : wanted);
  while (performance.now() < until && !stopped.aborted) {
    if ((await newestMark(db, mark)) > passed) return;
    await pause(LOOK_MS, stopped);
  }
}
