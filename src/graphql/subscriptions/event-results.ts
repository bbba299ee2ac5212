import type { ExecutionResult } from 'graphql';
import { ServiceError } from '../../errors.ts';
import { EVENT_ID, type StreamedResult } from './event-stream.ts';
import type { Rechecks } from './rechecks.ts';

export type Results = AsyncIterableIterator<StreamedResult>;

interface Watch {
  /** The event after which the stream starts, so that a client that disconnects before the first event can resume there. */
  readonly place: unknown;
  /** Throws if the credential is no longer valid. */
  check(): unknown;
  readonly rechecks: Rechecks;
  shown(error: unknown): ExecutionResult;
  /** Closes the connection without a `complete`, so that the client reconnects. */
  breakOff(): void;
  /** The client has taken the previous result. */
  taken(): void;
}

/**
 * The results for the events of a source, each pulled once the previous one was taken; `return` ends it even while it waits
 * for an event. It ends once the credential is refused.
 */
export class EventResults implements Results {
  readonly #source: AsyncIterator<unknown>;
  readonly #answer: (event: unknown) => Promise<StreamedResult>;
  readonly #watch: Watch;
  readonly #endChecks: () => void;
  #refusal: ServiceError | undefined;
  #begun = false;

  constructor(source: AsyncIterable<unknown>, answer: (event: unknown) => Promise<StreamedResult>, watch: Watch) {
    this.#source = source[Symbol.asyncIterator]();
    this.#answer = answer;
    this.#watch = watch;
    this.#endChecks = watch.rechecks.begin(() => this.#check());
  }

  async next(): Promise<IteratorResult<StreamedResult>> {
    this.#watch.taken();
    if (!this.#begun) {
      this.#begun = true;
      return { done: false, value: { [EVENT_ID]: this.#watch.place } };
    }
    try {
      const { done, value } = await this.#next();
      const result = done ? undefined : await this.#answer(value);
      if (result && !this.#refusal) return { done: false, value: result };
    } catch (error) {
      return { done: false, value: this.#watch.shown(error) };
    }
    this.#endChecks();
    const refusal = this.#refusal;
    this.#refusal = undefined;
    return refusal ? { done: false, value: this.#watch.shown(refusal) } : { done: true, value: undefined };
  }

  /** The client can resume at another gateway, or later. */
  async #next(): Promise<IteratorResult<unknown>> {
    try {
      return await this.#source.next();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'UNAVAILABLE') throw error;
      this.#watch.breakOff();
      return { done: true, value: undefined };
    }
  }

  async return(): Promise<IteratorResult<StreamedResult>> {
    this.#endChecks();
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Creates no promise for a known credential, since it runs every second for each stream. */
  #check(): void {
    const refuse = (error: unknown): void => {
      if (!(error instanceof ServiceError) || error.status >= 500) return; // checked again later
      this.#refusal = error;
      void this.return();
    };
    try {
      const checked = this.#watch.check();
      if (checked instanceof Promise) checked.catch(refuse);
    } catch (error) {
      refuse(error);
    }
  }
}
