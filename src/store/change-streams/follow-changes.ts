import type { ChangeStream, Document } from 'mongodb';
import type { Lease, Progress } from '../leases/lease.ts';
import { TERM_MS } from '../leases/work-under-lease.ts';
import { ChangeFeed } from './change-feed.ts';

export interface Following<C extends Document> {
  readonly lease: Lease;
  /** Saves a resume point after which nothing has happened; false when the lease was lost. */
  saveToken(token: NonNullable<Progress['token']>): Promise<boolean>;
  readonly stopped: AbortSignal;
  /** The most changes of one batch. */
  readonly limit: number;
  /** Processes a batch and saves the resume point behind it; false when the lease was lost. */
  handle(batch: readonly C[], feed: ChangeFeed<C>): Promise<boolean>;
}

/** Passes changes on until the lease is lost, the work is stopped or something breaks. */
export async function followChanges<C extends Document>(
  stream: ChangeStream<Document, C>,
  { lease, saveToken, stopped, limit, handle }: Following<C>,
): Promise<void> {
  const feed = new ChangeFeed(stream, limit);
  // While nothing happens, the resume point still moves on, so that the oplog does not roll over past it.
  const renew = async (): Promise<boolean> => {
    if ((await lease.take()) === undefined) return false;
    const token = feed.idleToken;
    return !token || saveToken(token);
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
