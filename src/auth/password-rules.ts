import { MAX_LENGTHS, SHORTEST_PASSWORD } from '../model/session.ts';

/** The lowest acceptable zxcvbn score (0 to 4): guessing takes at least 100 million tries. */
const SAFE_SCORE = 3;

/**
 * What is wrong with a new password; undefined if nothing is. Besides its length, it must not be a common password, nor be
 * built from common passwords, the user's name, repetitions, sequences or keyboard rows.
 */
export async function passwordViolation(password: string, username: string): Promise<string | undefined> {
  if (password.length < SHORTEST_PASSWORD || password.length > MAX_LENGTHS.password) {
    return `must have ${SHORTEST_PASSWORD} to ${MAX_LENGTHS.password} characters.`;
  }
  const { check } = await estimator();
  const { score } = check(password.normalize('NFKC'), [...username.split(/[^\p{L}\p{N}]+/u), username, ...OURS]);
  if (score >= SAFE_SCORE) return undefined;
  return 'is too easy to guess: it is, or is made of, common passwords, names, dates, repetitions or rows of keys. Take several words that have nothing to do with each other.';
}

/** Words that are easy to guess for this service. */
const OURS = ['inspection', 'exchange', 'cargo', 'demo'];

type Estimator = { check(password: string, words: string[]): { readonly score: number } };
let loaded: Promise<Estimator> | undefined;

/** Loaded lazily: its list of common passwords takes memory. */
function estimator(): Promise<Estimator> {
  loaded ??= Promise.all([import('@zxcvbn-ts/core'), import('@zxcvbn-ts/language-common')]).then(([core, common]) => {
    const { dictionary, adjacencyGraphs: graphs } = common;
    const factory = new core.ZxcvbnFactory({ dictionary, graphs });
    return { check: (password, words) => factory.check(password, words) };
  });
  return loaded;
}
