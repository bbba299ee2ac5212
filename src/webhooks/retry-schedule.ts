/** The pauses before each attempt, in seconds: ten attempts over 75 hours, as Standard Webhooks recommends. */
export const RETRY_SECONDS: readonly number[] = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Pauses are longer by up to this part of themselves, so that what failed together is not tried together. */
const JITTER = 0.1;
/** A receiver may ask for as much patience, and not more. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;

/** How long to wait, in milliseconds, after so many attempts; undefined if there are no more. */
export function pauseAfter(tries: number, schedule: readonly number[], random: () => number = Math.random) {
  const seconds = schedule[tries];
  return seconds === undefined ? undefined : Math.round(seconds * 1_000 * (1 + JITTER * random()));
}

/** The milliseconds that a Retry-After header asks for: seconds, or a date; 0 if it asks for nothing. */
export function retryAfterMs(header: string | undefined, now: Date): number {
  if (header === undefined) return 0;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), LONGEST_RETRY_AFTER_MS);
}
