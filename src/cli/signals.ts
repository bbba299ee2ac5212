import { codeOfSignal, STOP_SIGNALS } from '../process/stop-signals.ts';

type StopSignal = (typeof STOP_SIGNALS)[number];

/** A signal ended a command before its work was done. */
export class EndedBySignal extends Error {
  override readonly name = 'EndedBySignal';
  readonly exitCode: number;

  constructor(signal: StopSignal, message = endedBy(signal), cause?: unknown) {
    super(message, { cause });
    this.exitCode = codeOfSignal(signal);
  }
}

const endedBy = (signal: StopSignal): string => `Ended by ${signal}.`;

/** What a command says when a signal has ended it, and with which error its work ended. */
export type LastWords = (ended: string, error: Error) => string;

/**
 * Runs work that a signal stops gracefully: `stopped` is aborted, and the work may clean up. Throws an EndedBySignal if the
 * work then fails. One signal may arrive twice: from its sender, and from the launcher that forwards it.
 */
export async function untilSignal<T>(
  work: (stopped: AbortSignal) => Promise<T>,
  say: LastWords = (ended) => ended,
): Promise<T> {
  const stopping = new AbortController();
  let by: StopSignal | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    by ??= signal as StopSignal;
    stopping.abort(new EndedBySignal(by));
  };
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  try {
    return await work(stopping.signal);
  } catch (error) {
    throw by === undefined ? error : new EndedBySignal(by, say(endedBy(by), error as Error), error);
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
}
