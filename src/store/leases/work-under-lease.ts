import { setTimeout as sleep } from 'node:timers/promises';
import { END_MS, givenUp, type Lease, type Progress } from './lease.ts';

/** The interval, in milliseconds, at which the holder renews a lease and other processes try to acquire it. */
export const TERM_MS = 3_000;
/** How long to wait after an interruption. */
const PAUSE_MS = 1_000;

interface LeasedWork {
  readonly lease: Lease;
  /** Resumes the work from the saved progress, until the lease is lost or the work is stopped. */
  work(progress: Progress, stopped: AbortSignal): Promise<void>;
  /** Reports an error that interrupted the work, which is then restarted. Errors that prevent a restart are not reported. */
  interrupted(error: unknown): void;
}

/** Does work in one process across all gateways at a time, the lease holder. Returns a function that stops it without waiting long. */
export function startUnderLease(parts: LeasedWork): () => Promise<void> {
  const stopped = new AbortController();
  const running = run(parts, stopped.signal);
  return () => {
    stopped.abort();
    return givenUp(running, END_MS);
  };
}

async function run({ lease, work, interrupted }: LeasedWork, stopped: AbortSignal): Promise<void> {
  let isTold = false;
  while (!stopped.aborted) {
    try {
      const progress = await lease.take();
      isTold = false;
      if (progress) await work(progress, stopped);
      else await pause(TERM_MS, stopped);
    } catch (error) {
      if (stopped.aborted) break;
      if (!isTold) interrupted(error);
      isTold = true;
      await pause(PAUSE_MS, stopped);
    }
  }
  await lease.release();
}

/** Does work that may take longer than a term, renewing the lease meanwhile. */
export async function whileRenewing<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
  const renewal = setInterval(() => void lease.renew().catch(() => undefined), TERM_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
  }
}

/** Waits for `ms`, or until the work is stopped. */
export async function pause(ms: number, stopped: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stopped }).catch(() => undefined);
}
