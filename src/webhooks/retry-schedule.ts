/** The pauses before each attempt, in seconds: ten attempts over 75 hours, as Standard Webhooks recommends. */
export const RETRY_SECONDS: readonly number[] = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Each pause is lengthened by up to this fraction, so that messages that failed together are not retried together. */
const JITTER = 0.1;
/** The longest Retry-After that is honoured. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;

/** How long to wait after `tries` attempts, in milliseconds; undefined if there are no more attempts. */
export function pauseAfter(tries: number, schedule: readonly number[], random: () => number = Math.random) {
  const seconds = schedule[tries];
  return seconds === undefined ? undefined : Math.round(seconds * 1_000 * (1 + JITTER * random()));
}

/** The milliseconds that a Retry-After header (seconds or a date) asks for; 0 if none. */
export function retryAfterMs(header: string | undefined, now: Date): number {
  if (header === undefined) return 0;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), LONGEST_RETRY_AFTER_MS);
}
