import { setImmediate as turn } from 'node:timers/promises';
import type { ResumeToken } from 'mongodb';
import type { ChangeReader, Subscriber } from './change-reader.ts';
import { type Place, textOf } from './resume-point.ts';
import { concerns, type Watch, type WatchedChange } from './watch.ts';

/** How often new changes are fetched while gathering; each reply costs as much as a query. */
const LOOK_MS = 40;
/** A feed on a shared stream may have this many times its limit waiting. */
const BATCHES_BEHIND = 4;

/** A waiter for a change. */
interface Waiting<C> {
  readonly isFor: (change: C) => boolean;
  readonly resolve: () => void;
}

/**
 * The changes of a stream that have arrived but are not yet processed. MongoDB's next message is requested only when someone waits
 * for it: under load, each would bring little.
 */
export class ChangeFeed<C extends WatchedChange> implements Subscriber {
  readonly watch: Watch;
  readonly concerns: (change: WatchedChange) => boolean;
  readonly #limit: number;
  #reader: ChangeReader | undefined;
  /** The token up to which everything has already been read. */
  #after = '';
  #arrived: C[] = [];
  /** Whether the last returned batch, if any, has been processed. */
  #isProcessed = true;
  #isEnded = false;
  #failure: unknown;
  #waiting: Waiting<C> | undefined;
  /** Whether the next message may be requested. */
  #isWanted = false;

  /** `limit` is the most changes processed together. */
  constructor(watch: Watch, limit: number) {
    this.watch = watch;
    this.concerns = concerns(watch);
    this.#limit = limit;
  }

  /**
   * The changes that have arrived, once there are any; empty when there will be no more. Calling it marks the previous batch as
   * processed.
   */
  async next(): Promise<readonly C[]> {
    this.#isProcessed = true;
    if (!this.#isDone) await this.#until(() => true);
    // Wait for the rest of the message that brought the first.
    for (let before = 0; this.#arrived.length > before && this.#mayComeMore; await turn())
      before = this.#arrived.length;
    const arrived = this.#arrived.splice(0, this.#limit);
    this.#isProcessed = false;
    this.#reader?.goOn();
    return arrived;
  }

  /** Where to resume, once everything that arrived is processed. */
  get idlePlace(): Place | undefined {
    return !this.#isDone && this.#isProcessed ? this.#reader?.idlePlaceOf(this) : undefined;
  }

  /** Gathers changes for that long, or until one of them is urgent, or there is no room for more. */
  async gather(ms: number, isUrgent: (change: C) => boolean): Promise<void> {
    if (this.#isFull || this.#arrived.some(isUrgent)) return;
    const came = this.#until((change) => this.#isFull || isUrgent(change));
    const look = setInterval(() => this.#want(), LOOK_MS);
    let timer: NodeJS.Timeout | undefined;
    const time = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([time, came]);
    clearInterval(look);
    clearTimeout(timer);
  }

  /** Ends the feed and discards unprocessed changes. */
  end(failure?: unknown): void {
    this.#arrived = [];
    this.fail(failure);
  }

  fail(failure: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#failure = failure;
    this.#wake();
  }

  async close(): Promise<void> {
    this.end();
    await this.#reader?.leave(this);
  }

  /** Throws the error that ended the feed, unless it was closed. */
  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  readBy(reader: ChangeReader): void {
    this.#reader = reader;
  }

  skipTo(position: ResumeToken): void {
    if (!this.isAheadOf(position)) this.#after = textOf(position);
  }

  isAheadOf(position: ResumeToken): boolean {
    return textOf(position) < this.#after;
  }

  take(changes: readonly WatchedChange[]): void {
    const own = changes.filter((change) => this.concerns(change) && this.#isNew(change)) as C[];
    if (own.length === 0 || this.#isEnded) return;
    this.#isWanted = false;
    for (const change of own) this.#arrived.push(change);
    if (own.some((change) => this.#waiting?.isFor(change))) this.#wake();
  }

  get room(): number {
    return this.#isEnded ? 0 : Math.max(0, this.#limit - this.#arrived.length);
  }

  get isWaiting(): boolean {
    return this.#isWanted;
  }

  get isFarBehind(): boolean {
    return this.#arrived.length >= BATCHES_BEHIND * this.#limit;
  }

  get lastToken(): ResumeToken | undefined {
    return this.#arrived.at(-1)?._id;
  }

  #isNew({ _id }: WatchedChange): boolean {
    return textOf(_id) > this.#after;
  }

  get #isDone(): boolean {
    return this.#arrived.length > 0 || this.#isEnded;
  }

  get #isFull(): boolean {
    return this.room === 0;
  }

  /** Whether the last message may contain more and there is room for it: a single event need not wait for another turn. */
  get #mayComeMore(): boolean {
    return !this.#reader?.isWhole && !this.#isFull;
  }

  #want(): void {
    this.#isWanted = true;
    this.#reader?.goOn();
  }

  /** Waits for a change and requests the next message. */
  #until(isFor: (change: C) => boolean): Promise<void> {
    this.#want();
    return new Promise((resolve) => {
      this.#waiting = { isFor, resolve };
    });
  }

  #wake(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}
