import { setImmediate as turn } from 'node:timers/promises';
import type { Db } from 'mongodb';
import type { Lease } from '../leases/lease.ts';
import { TERM_MS } from '../leases/work-under-lease.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { Place } from './resume-point.ts';
import { type FeedOptions, sharedStreams } from './shared-streams.ts';
import type { WatchedChange } from './watch.ts';

interface Following<C extends WatchedChange> extends FeedOptions {
  readonly lease: Lease;
  /** Saves a place after which nothing has happened; false if the lease was lost. */
  savePlace(place: Place): Promise<boolean>;
  readonly stopped: AbortSignal;
  /** Processes a batch and saves the resume point after it; false if the lease was lost. */
  handle(batch: readonly C[], feed: ChangeFeed<C>): Promise<boolean>;
}

/** Passes changes on until the lease is lost, the work is stopped or an error occurs. */
export async function followChanges<C extends WatchedChange>(
  db: Db,
  { lease, savePlace, stopped, handle, ...options }: Following<C>,
): Promise<void> {
  const feed = sharedStreams(db).open<C>(options);
  // While nothing happens, advance the resume point anyway, so that the oplog does not roll over past it.
  const renew = async (): Promise<boolean> => {
    if (!(await lease.renew())) return false;
    await turn(); // after this, no change is in transit from the driver
    const place = feed.idlePlace;
    return !place || savePlace(place);
  };
  const end = (): void => feed.end();
  const renewal = setInterval(() => {
    renew().then(
      (held) => held || end(),
      (error: unknown) => feed.end(error),
    );
  }, TERM_MS);
  stopped.addEventListener('abort', end);
  if (stopped.aborted) end();
  try {
    for (;;) {
      const batch = await feed.next();
      if (batch.length === 0) break;
      if (!(await handle(batch, feed))) return;
    }
  } finally {
    clearInterval(renewal);
    stopped.removeEventListener('abort', end);
    await feed.close();
  }
  feed.throwIfFailed();
}
