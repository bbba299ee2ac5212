import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Turns } from '../transactions/turns.ts';

/** How long a call waits for an earlier one, which may be slow. */
const PATIENCE_MS = 2;

/**
 * When calls leave that gather what is asked for: at the end of a turn of the event loop, or when an earlier one of their kind has
 * ended, so that requests which arrive one by one are gathered as well. None waits for long.
 */
export class Departures {
  readonly #turns = new Turns();
  readonly #patienceMs: number;

  constructor({ patienceMs = PATIENCE_MS }: { readonly patienceMs?: number } = {}) {
    this.#patienceMs = patienceMs;
  }

  /** Makes a call when it may leave. */
  leave<T>(kind: string, call: () => Promise<T>): Promise<T> {
    const atTheEnd = (): Promise<T> => endOfTurn().then(call);
    return this.#turns.run(kind, atTheEnd, { patienceMs: this.#patienceMs });
  }
}
