import { toldError } from '../store/without-values.ts';
import { UsageError } from './arguments/usage-error.ts';
import { UnwrittenOutput } from './output/stdout.ts';
import { EndedBySignal } from './signals.ts';

/** A command of the command line. */
export interface Command {
  /** How it is called. */
  readonly USAGE: string;
  /** Does the work; a number is the exit code. Throws a UsageError if the arguments are invalid. */
  run(args: readonly string[]): Promise<unknown>;
}

const FAILED = 1;
const MISUSED = 2;

/** Runs a command and returns its exit code; an error goes to stderr, with the usage if the command line is at fault. */
export async function invoke({ run, USAGE }: Command, args: readonly string[]): Promise<number> {
  try {
    const outcome = await run(args);
    return typeof outcome === 'number' ? outcome : 0;
  } catch (error) {
    if (error instanceof UnwrittenOutput) throw error;
    console.error(toldError(error));
    if (error instanceof UsageError) return misused(USAGE);
    return error instanceof EndedBySignal ? error.exitCode : FAILED;
  }
}

function misused(usage: string): number {
  console.error(`\nUsage:\n${usage}`);
  return MISUSED;
}
