import { codeOfSignal, STOP_SIGNALS } from '../process/stop-signals.ts';

type StopSignal = (typeof STOP_SIGNALS)[number];

/** A signal has ended a command before its work was done. */
export class EndedBySignal extends Error {
  override readonly name = 'EndedBySignal';
  readonly exitCode: number;

  /** The cause is how the work ended. */
  constructor(signal: StopSignal, cause?: unknown) {
    super(`Ended by ${signal}.`, { cause });
    this.exitCode = codeOfSignal(signal);
  }
}

/**
 * Does work that a signal ends in order: it is told by `stopped`, and may put away what it has begun. Throws an EndedBySignal if it fails after
 * that. One signal may come twice: from its sender, and from the starter that passes it on.
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
