import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

/** How one run goes. */
export interface FuzzOptions {
  readonly requests: number;
  /** Makes every request. */
  readonly seed: number;
}

export const USAGE = 'npm run fuzz -- [--requests 10000] [--seed N]';

/** Reads the command line; throws an Error that says what is wrong with it. */
export function readOptions(args: readonly string[]): FuzzOptions {
  const options = { requests: { type: 'string' }, seed: { type: 'string' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const requests = Number(values.requests ?? 10_000);
  if (!Number.isInteger(requests) || requests < 100)
    throw new Error(`--requests=${values.requests}: it must be a whole number from 100.`);
  const seed = Number(values.seed ?? randomInt(1, 1_000_000));
  if (!Number.isInteger(seed) || seed < 0) throw new Error(`--seed=${values.seed}: it must be a whole number from 0.`);
  return { requests, seed };
}
