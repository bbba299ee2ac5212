import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Turns } from '../transactions/turns.ts';

/** How long a call waits for an earlier, possibly slow one. */
const PATIENCE_MS = 2;

/**
 * Decides when batched calls are sent: at the end of a turn of the event loop, or when an earlier call of the same kind ends, so
 * that requests arriving one by one are batched too. None waits long.
 */
export class Departures {
  readonly #turns = new Turns();
  readonly #patienceMs: number;

  constructor({ patienceMs = PATIENCE_MS }: { readonly patienceMs?: number } = {}) {
    this.#patienceMs = patienceMs;
  }

  /** Sends a call as soon as it may leave. */
  leave<T>(kind: string, call: () => Promise<T>): Promise<T> {
    const atTheEnd = (): Promise<T> => endOfTurn().then(call);
    return this.#turns.run(kind, atTheEnd, { patienceMs: this.#patienceMs });
  }
}
