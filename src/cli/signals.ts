import { codeOfSignal, STOP_SIGNALS } from '../process/stop-signals.ts';

type StopSignal = (typeof STOP_SIGNALS)[number];

/** A signal ended a command before its work was done. */
export class EndedBySignal extends Error {
  override readonly name = 'EndedBySignal';
  readonly exitCode: number;

  /** The cause is the error that the work ended with. */
  constructor(signal: StopSignal, cause?: unknown) {
    super(`Ended by ${signal}.`, { cause });
    this.exitCode = codeOfSignal(signal);
  }
}

/**
 * Runs work that a signal stops gracefully: `stopped` is aborted, and the work may clean up. Throws an EndedBySignal if the
 * work then fails. One signal may arrive twice: from its sender, and from the launcher that forwards it.
 */
export async function untilSignal<T>(work: (stopped: AbortSignal) => Promise<T>): Promise<T> {
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
    throw by === undefined ? error : new EndedBySignal(by, error);
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
}
