import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
const GIVEN_UP_AFTER_MS = 60_000;

/**
 * Does what a lost connection has kept from being done, once the database is back; given up after a minute. For work
 * that nobody waits for, and that may come late or never: whoever relies on it has another way, only a slower one.
 */
export async function finishLater(work: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + GIVEN_UP_AFTER_MS;
  for (let pause = FIRST_PAUSE_MS; performance.now() < until; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    await sleep(pause, undefined, { ref: false });
    try {
      await work();
      return;
    } catch {
      // tried again
    }
  }
}
