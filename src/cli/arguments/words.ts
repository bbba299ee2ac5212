import { type ParseArgsConfig, parseArgs } from 'node:util';
import { SCOPES, type Scope } from '../../auth/viewer.ts';
import { isUuid } from '../../model/uuid.ts';
import { refuseAny, UsageError } from './usage-error.ts';

/** The options of a command line by name. */
export type Values = Readonly<Record<string, string | undefined>>;

/** Parses a command line with Node's parser; single-value options may not be repeated. Throws a UsageError. */
export function parsedWords<const C extends ParseArgsConfig>(config: C) {
  try {
    const { tokens, ...words } = parseArgs<C & { readonly tokens: true }>({ ...config, tokens: true });
    refuseRepeated(tokens ?? []);
    return words;
  } catch (error) {
    throw new UsageError(parserProblem(error), { cause: error });
  }
}

/**
 * The parser's complaint in one sentence: its advice is about the parser itself, except where a value could be taken for
 * an option.
 */
function parserProblem(error: unknown): string {
  const { message } = error as Error;
  const [, option] = /^Option '(?:-\w, )?(--[\w-]+)(?: <value>)?' argument is ambiguous/.exec(message) ?? [];
  if (option !== undefined) return `${option} needs a value; one that begins with a dash is written ${option}=VALUE.`;
  return `${message.split(/\. |\n/, 1)[0]?.replace(/\.$/, '')}.`;
}

/** A token of a command line, as Node's parser sees it. */
interface Token {
  readonly kind: string;
  readonly name?: string;
  readonly value?: string | undefined;
}

/** Throws if a single-value option is repeated: the parser would silently take the last value. */
function refuseRepeated(tokens: readonly Token[]): void {
  const names = tokens.flatMap(({ kind, name, value }) =>
    kind === 'option' && name && value !== undefined ? name : [],
  );
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) throw new Error(`--${repeated} was given more than once, and takes one value.`);
}

/** Parses a command line whose options each take a text; other words are positionals. */
export function readWords(
  args: readonly string[],
  names: readonly string[],
): { readonly values: Values; readonly positionals: readonly string[] } {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  return parsedWords({ args: [...args], allowPositionals: true, options });
}

/** Parses a command line of flags and one non-empty word. */
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

/** Refuses a command line that has anything but these flags. */
export const refuseAllBut = (flags: readonly string[], args: readonly string[]): void =>
  refuseAny(
    surplus(
      {},
      args.filter((arg) => !flags.includes(arg)),
      [],
    ),
  );

/** The unexpected arguments of the command line. */
export function surplus(values: Values, rest: readonly string[], allowed: readonly string[]): string[] {
  const options = Object.keys(values).filter((name) => !allowed.includes(name));
  return [...options.map((name) => `--${name}`), ...rest].map((word) => `${word} is not expected here.`);
}

/** The tenant of `--tenant`; `problems` gets what is wrong with it. */
export function tenantOf({ tenant = '' }: Values, problems: string[]): string {
  if (!isUuid(tenant)) problems.push('--tenant must be a UUID; for a new tenant, generate one with uuidgen.');
  return tenant.toLowerCase();
}

/** The scopes of `--scopes`; `problems` gets what is wrong with them. */
export function scopesOf({ scopes = '' }: Values, problems: string[]): string[] {
  const named = new Set(scopes.split(',').map((scope) => scope.trim()));
  if (![...named].every((scope) => SCOPES.includes(scope as Scope))) {
    problems.push(`--scopes must be one or more of ${SCOPES.join(', ')}, separated by commas.`);
  }
  return [...named];
}
