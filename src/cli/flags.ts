import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Parses a command line with Node's parser; throws an error that says in one sentence what is wrong. */
export function parsedOnce<const C extends ParseArgsConfig>(config: C) {
  try {
    const { tokens, ...words } = parseArgs<C & { readonly tokens: true }>({ ...config, tokens: true });
    refuseRepeated(tokens ?? []);
    return words;
  } catch (error) {
    throw new Error(parserProblem(error), { cause: error });
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

/** Whether a command line has nothing but these flags; anything else is reported, with the usage. */
export function hasOnly(flags: readonly string[], args: readonly string[], usage: string): boolean {
  const surplus = args.filter((arg) => !flags.includes(arg));
  if (surplus.length > 0) console.error(`${surplus.join(' ')} is not expected here: ${usage}`);
  return surplus.length === 0;
}
