import { distance } from 'fastest-levenshtein';

/** Shorter names are left alone: too many of other programs resemble them. */
const MIN_LENGTH = 8;
/** Longer names may differ in two letters, others in one: DASH_URL is not BASE_URL. */
const LONG = 10;
const UNIT = /_(MS|SECONDS|MINUTES|HOURS|DAYS|BYTES|PER_MINUTE|PER_SECOND)$/;

/**
 * The setting that the name of an environment variable was probably meant to be: one letter differs, or two of a longer name,
 * or the unit is missing or another one. Undefined for a name that resembles none, such as those of other programs.
 */
export function meantName(name: string, known: readonly string[]): string | undefined {
  if (name.length < MIN_LENGTH) return undefined;
  const mistakes = (one: string): number =>
    one.replace(UNIT, '') === name.replace(UNIT, '') ? 0 : Math.max(1, distance(name, one));
  const most = name.length < LONG ? 1 : 2;
  const near = known.filter((one) => one.length >= MIN_LENGTH && mistakes(one) <= most);
  return near.sort((a, b) => mistakes(a) - mistakes(b))[0];
}
