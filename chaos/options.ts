import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

/** How one run goes. */
export interface ChaosOptions {
  /** How long the faults last; starting and checking come on top. */
  readonly minutes: number;
  /** Makes the order of the faults. */
  readonly seed: number;
  readonly json: string | undefined;
}

export const USAGE = 'npm run chaos -- [--minutes 5] [--seed N] [--json FILE]';

const MAX_MINUTES = 120;

/** Reads the command line; throws an Error that says what is wrong with it. */
export function readOptions(args: readonly string[]): ChaosOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { minutes: { type: 'string' }, seed: { type: 'string' }, json: { type: 'string' } },
  });
  const minutes = Number(values.minutes ?? 5);
  if (!(minutes > 0 && minutes <= MAX_MINUTES)) {
    throw new Error(`--minutes=${values.minutes}: it must be a number above 0, at most ${MAX_MINUTES}.`);
  }
  const seed = Number(values.seed ?? randomInt(1, 1_000_000));
  if (!Number.isInteger(seed) || seed < 0) throw new Error(`--seed=${values.seed}: it must be a whole number from 0.`);
  return { minutes, seed, json: values.json };
}
