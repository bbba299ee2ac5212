import { type ParseArgsConfig, parseArgs } from 'node:util';

/** What Node's parser finds in a command line; throws, in one sentence, with what is wrong with it. */
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
 * What Node's parser says of a command line, in one sentence: its advice is about the parser, except where a value could be taken
 * for an option.
 */
function parserProblem(error: unknown): string {
  const { message } = error as Error;
  const [, option] = /^Option '(?:-\w, )?(--[\w-]+)(?: <value>)?' argument is ambiguous/.exec(message) ?? [];
  if (option !== undefined) return `${option} needs a value; one that begins with a dash is written ${option}=VALUE.`;
  return `${message.split(/\. |\n/, 1)[0]?.replace(/\.$/, '')}.`;
}

/** A word of a command line, as Node's parser sees it. */
interface Token {
  readonly kind: string;
  readonly name?: string;
  readonly value?: string | undefined;
}

/** Throws where an option that takes one value has several: the parser would take the last one without a word. */
function refuseRepeated(tokens: readonly Token[]): void {
  const names = tokens.flatMap(({ kind, name, value }) =>
    kind === 'option' && name && value !== undefined ? name : [],
  );
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) throw new Error(`--${repeated} was given more than once, and takes one value.`);
}

/** Whether a command line has no words but these flags; if it has, they are named, with the usage. */
export function hasOnly(flags: readonly string[], args: readonly string[], usage: string): boolean {
  const surplus = args.filter((arg) => !flags.includes(arg));
  if (surplus.length > 0) console.error(`${surplus.join(' ')} is not expected here: ${usage}`);
  return surplus.length === 0;
}
