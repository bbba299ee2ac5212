import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../errors.ts';

/** How long a body may stall, and how long it may take in all. */
interface Patience {
  readonly stallMs: number;
  readonly totalMs?: number;
  /** Called every second, or more often if the stall limit is short, while it still arrives. */
  readonly late?: () => void;
}

/** The polling interval in milliseconds; shorter if the stall limit is short. */
const LOOK_MS = 1_000;

/**
 * Watches a body arrive, and calls `stalled` with REQUEST_TIMEOUT if it stalls, or takes too long in all; time while its
 * reader pauses it does not count. Returns a function that ends the watch.
 */
export function watchArrival(
  request: IncomingMessage,
  { stallMs, totalMs = Number.POSITIVE_INFINITY, late }: Patience,
  stalled: (error: ServiceError) => void,
): () => void {
  let begun = performance.now();
  let [moved, looked] = [begun, begun];
  let seen = request.socket.bytesRead;
  const timer = setInterval(
    () => {
      const now = performance.now();
      const { bytesRead } = request.socket;
      if (request.isPaused()) begun += now - looked;
      if (request.isPaused() || bytesRead !== seen) moved = now;
      [seen, looked] = [bytesRead, now];
      if (now - moved < stallMs && now - begun < totalMs) {
        late?.();
        return;
      }
      clearInterval(timer);
      stalled(
        requestTimeout(
          now - moved < stallMs ? `is not complete after ${seconds(totalMs)}` : `stalled for ${seconds(stallMs)}`,
        ),
      );
    },
    Math.min(LOOK_MS, stallMs / 4),
  ).unref();
  return () => clearInterval(timer);
}

const seconds = (ms: number): string => `${ms / 1_000} s`;

/** The connection cannot be reused: the rest of the body would be read as the next request. */
const requestTimeout = (how: string): ServiceError =>
  new ServiceError('REQUEST_TIMEOUT', `The body ${how}; send the request again.`, { headers: { Connection: 'close' } });
