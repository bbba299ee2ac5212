/** An invalid command line; the message has a line for each problem. The command line prints it with the command's usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Throws a UsageError if there are any problems. */
export function refuseAny(problems: readonly string[]): void {
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
}

/** The error for an unknown verb of a command. */
export const unknownVerb = (command: string, verb: string): UsageError =>
  new UsageError(verb === '' ? `What is to be done with ${command}?` : `${command} cannot "${verb}".`);
