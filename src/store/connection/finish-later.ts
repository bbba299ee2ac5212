import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
const GIVEN_UP_AFTER_MS = 60_000;

/**
 * Retries work that failed on a lost connection once the database is back; gives up after a minute. For work that nothing waits
 * for and that may be late or lost: there is always a slower fallback.
 */
export async function finishLater(work: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + GIVEN_UP_AFTER_MS;
  for (let pause = FIRST_PAUSE_MS; performance.now() < until; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    await sleep(pause, undefined, { ref: false });
    try {
      await work();
      return;
    } catch {
      // retried
    }
  }
}
