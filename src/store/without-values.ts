/** Members of driver errors that contain data sent or to be stored. */
const HOLDING = ['errorResponse', 'writeErrors', 'result', 'keyValue', 'errInfo'];

/** A MongoDB message without quoted parts of commands or keys: there is no telling where a value in it ends. */
export const withoutValues = (text: string): string =>
  text.replace(/command \{ (\w+):.*$/s, 'command $1').replace(/ dup key: \{.*$/s, '');

/** What an error says, for a terminal or the output of a service: without data sent to MongoDB. */
export const toldError = (error: unknown): string =>
  withoutValues(error instanceof Error ? error.message : String(error));

/** An error, with its causes, for a log that must not contain data sent to MongoDB; any other value is returned as is. */
export function errorWithoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { message, stack = '' } = error;
  const told = withoutValues(message);
  const cause = errorWithoutValues(error.cause);
  const holding = HOLDING.filter((name) => name in error);
  if (told === message && cause === error.cause && holding.length === 0) return error;
  return Object.create(error, {
    ...Object.fromEntries(holding.map((name) => [name, { value: undefined }])),
    message: { value: told },
    stack: { value: stack.replace(message, () => told) },
    cause: { value: cause },
  });
}
