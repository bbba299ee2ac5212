import type { ChangeStream, Document } from 'mongodb';
import type { Lease, Progress } from '../lease.ts';
import { TERM_MS } from '../work-under-lease.ts';
import { gathered, readable } from './change-batches.ts';

export interface Following<C extends Document> {
  readonly lease: Lease;
  /** Saves a resume point after which nothing has happened; false when the lease was lost. */
  saveToken(token: NonNullable<Progress['token']>): Promise<boolean>;
  readonly stopped: AbortSignal;
  /** The most changes of one batch. */
  readonly limit: number;
  /** Processes a batch and saves the resume point behind it; false when the lease was lost. */
  handle(batch: readonly C[]): Promise<boolean>;
}

/** Passes changes on until the lease is lost, the work is stopped or something breaks. */
export async function followChanges<S extends Document, C extends Document>(
  stream: ChangeStream<S, C>,
  { lease, saveToken, stopped, limit, handle }: Following<C>,
): Promise<void> {
  const changes = stream.stream();
  let failure: Error | undefined;
  changes.on('error', (error) => {
    failure = error;
  });
  let isIdle = false;
  // While nothing happens, the resume point still moves on, so that the oplog does not roll over past it.
  const renew = async (token: Progress['token']): Promise<boolean> =>
    (await lease.take()) !== undefined && (!token || saveToken(token));
  const end = (): void => void changes.destroy();
  const renewal = setInterval(() => {
    // MongoDB's token is ours only while no change is on its way to us.
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
