import type { ParseArgsConfig } from 'node:util';
import { SCOPES, type Scope } from '../auth/viewer.ts';
import { isUuid } from '../model/uuid.ts';
import { connectStores, type Stores } from '../store/stores.ts';
import { databaseAddress } from './database.ts';
import { parsedOnce } from './flags.ts';
import { UnwrittenOutput } from './output/stdout.ts';
import { EndedBySignal } from './signals.ts';

/** An invalid command line; the message has a line for each problem. */
export class UsageError extends Error {}

/** The work of a command, once its arguments are parsed. */
export type Work = (stores: Stores) => Promise<void>;

/**
 * Runs a command on the database of MONGODB_URI, or of the gateway that runs on DATA_DIR. Errors go to stderr, with the
 * usage if the command line is at fault. Returns the exit code.
 */
export async function runOnDatabase(usage: string, understand: () => Work | Promise<Work>): Promise<number> {
  try {
    const work = await understand();
    const stores = await connectStores(databaseAddress());
    try {
      await work(stores);
    } finally {
      await stores.close();
    }
    return 0;
  } catch (error) {
    if (error instanceof UnwrittenOutput) throw error;
    console.error(error instanceof Error ? error.message : error);
    if (error instanceof UsageError) console.error(`\nUsage:\n${usage}`);
    return error instanceof EndedBySignal ? error.exitCode : 1;
  }
}

/** The options of a command line by name. */
export type Values = Readonly<Record<string, string | undefined>>;

/** Parses a command line whose options each take a text; other words are positionals. */
export function readWords(
  args: readonly string[],
  names: readonly string[],
): { readonly values: Values; readonly positionals: readonly string[] } {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  return parsedWords({ args: [...args], allowPositionals: true, options });
}

/** Parses a command line with Node's parser; single-value options may not be repeated. */
export function parsedWords<const C extends ParseArgsConfig>(config: C) {
  try {
    return parsedOnce(config);
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/** Parses a command line of flags and one non-empty word; throws an error that says what is wrong. */
export function readOneWord(
  args: readonly string[],
  { what, flags = [] }: { readonly what: string; readonly flags?: readonly string[] },
): string {
  const [word = '', ...rest] = args.filter((arg) => !flags.includes(arg));
  if (word.startsWith('-')) throw new UsageError(`${word} is not expected here.`);
  if (word === '') throw new UsageError(`It needs ${what}.`);
  refuseAny(surplus({}, rest, []));
  return word;
}

/** The error for an unknown verb of a command. */
export const unknownVerb = (command: string, verb: string): UsageError =>
  new UsageError(verb === '' ? `What is to be done with ${command}?` : `${command} cannot "${verb}".`);

/** The unexpected arguments of the command line. */
export function surplus(values: Values, rest: readonly string[], allowed: readonly string[]): string[] {
  const options = Object.keys(values).filter((name) => !allowed.includes(name));
  return [...options.map((name) => `--${name}`), ...rest].map((word) => `${word} is not expected here.`);
}

export function tenantOf({ tenant = '' }: Values, problems: string[]): string {
  if (!isUuid(tenant)) problems.push('--tenant must be a UUID; for a new tenant, generate one with uuidgen.');
  return tenant.toLowerCase();
}

export function scopesOf({ scopes = '' }: Values, problems: string[]): string[] {
  const named = new Set(scopes.split(',').map((scope) => scope.trim()));
  if (![...named].every((scope) => SCOPES.includes(scope as Scope))) {
    problems.push(`--scopes must be one or more of ${SCOPES.join(', ')}, separated by commas.`);
  }
  return [...named];
}

export function refuseAny(problems: readonly string[]): void {
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
}
