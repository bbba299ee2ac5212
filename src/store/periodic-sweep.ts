import { END_MS, givenUp } from './leases/lease.ts';
import { pause } from './leases/work-under-lease.ts';

/** Periodic work that a later run, or another gateway's, completes if it fails or is cut off. */
interface PeriodicSweep {
  /** The pause between two runs, in milliseconds. */
  readonly everyMs: number;
  sweep(): Promise<void>;
  /** Reports the error of a run; of runs that fail one after the other, only of the first. */
  failed(error: unknown): void;
}

/** Runs a sweep now and then periodically. The returned function stops this; it waits for a run in progress, but for at most END_MS. */
export function startPeriodicSweep({ everyMs, sweep, failed }: PeriodicSweep): () => Promise<void> {
  const stopped = new AbortController();
  const run = async (): Promise<void> => {
    for (let isTold = false; !stopped.signal.aborted; await pause(everyMs, stopped.signal)) {
      try {
        await sweep();
        isTold = false;
      } catch (error) {
        if (!isTold && !stopped.signal.aborted) failed(error);
        isTold = true;
      }
    }
  };
  const running = run();
  return () => {
    stopped.abort();
    return givenUp(running, END_MS);
  };
}
