import { constants } from 'node:os';

/** The signals that end a command in order. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type EndingSignal = (typeof SIGNALS)[number];

/** The exit code of a command that a signal has ended. */
export const codeOf = (signal: EndingSignal): number => 128 + constants.signals[signal];

/** A signal has ended a command before its work was done. */
export class EndedBySignal extends Error {
  override readonly name = 'EndedBySignal';
  readonly exitCode: number;

  /** The cause is how the work ended. */
  constructor(signal: EndingSignal, cause?: unknown) {
    super(`Ended by ${signal}.`, { cause });
    this.exitCode = codeOf(signal);
  }
}

/**
 * Does work that a signal ends in order: it is told by `stopped`, and may put away what it has begun. Throws an EndedBySignal if it fails after
 * that. One signal may come twice: from its sender, and from the starter that passes it on.
 */
export async function untilSignal<T>(work: (stopped: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  let by: EndingSignal | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    by ??= signal as EndingSignal;
    stopping.abort(new EndedBySignal(by));
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await work(stopping.signal);
  } catch (error) {
    throw by === undefined ? error : new EndedBySignal(by, error);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}
