import type { ChangeStream, Document } from 'mongodb';
import type { Lease, Progress } from '../lease.ts';
import { TERM_MS } from '../work-under-lease.ts';
import { gathered, readable } from './change-batches.ts';

export interface Following<C extends Document> {
  readonly lease: Lease;
  /** Keeps a place behind which nothing happened; false when the lease was lost. */
  keepPlace(token: NonNullable<Progress['token']>): Promise<boolean>;
  readonly stopped: AbortSignal;
  /** The most changes of one batch. */
  readonly limit: number;
  /** Does what a batch asks for, and keeps its place; false when the lease was lost. */
  handle(batch: readonly C[]): Promise<boolean>;
}

/** Hands on what happens until the lease is lost, the work is stopped or something breaks. */
export async function followChanges<S extends Document, C extends Document>(
  stream: ChangeStream<S, C>,
  { lease, keepPlace, stopped, limit, handle }: Following<C>,
): Promise<void> {
  const changes = stream.stream();
  let failure: Error | undefined;
  changes.on('error', (error) => {
    failure = error;
  });
  let isIdle = false;
  // Where nothing happens, the place moves on all the same, so that it does not get old.
  const renew = async (token: Progress['token']): Promise<boolean> =>
    (await lease.take()) !== undefined && (!token || keepPlace(token));
  const end = (): void => void changes.destroy();
  const renewal = setInterval(() => {
    // Only where nothing is on its way from MongoDB does its place hold for ours.
    const token = isIdle && changes.readableLength === 0 ? stream.resumeToken : undefined;
    renew(token).then(
      (held) => held || end(),
      (error: Error) => void changes.destroy(error),
    );
  }, TERM_MS);
  stopped.addEventListener('abort', end);
  try {
    while (!changes.destroyed && !changes.readableEnded && !stopped.aborted) {
      const batch = await gathered<C>(changes, limit);
      if (batch.length === 0) {
        isIdle = true;
        await readable(changes);
        isIdle = false;
        continue;
      }
      if (!(await handle(batch))) return;
    }
  } finally {
    clearInterval(renewal);
    stopped.removeEventListener('abort', end);
    changes.destroy();
    await stream.close();
  }
  if (failure) throw failure;
  // The cursor was killed or the collection dropped: without this, nobody would ever be woken again.
  if (changes.readableEnded) throw new Error('MongoDB ended the change stream.');
}
