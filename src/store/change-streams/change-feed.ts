import { setImmediate as turn } from 'node:timers/promises';
import type { ResumeToken } from 'mongodb';
import type { ChangeReader, Subscriber } from './change-reader.ts';
import { type Place, textOf } from './resume-point.ts';
import { concerns, type Watch, type WatchedChange } from './watch.ts';

/** How often it is asked what is new while changes come together; each answer costs as much as a query. */
const LOOK_MS = 40;
/** So many times its limit may wait in a feed that others read together with. */
const BATCHES_BEHIND = 4;

/** Who waits for a change. */
interface Waiting<C> {
  readonly isFor: (change: C) => boolean;
  readonly resolve: () => void;
}

/**
 * The changes of a stream that have arrived and are still to be processed. The next message of MongoDB is asked for when somebody
 * waits for it: each would bring little while much happens.
 */
export class ChangeFeed<C extends WatchedChange> implements Subscriber {
  readonly watch: Watch;
  readonly concerns: (change: WatchedChange) => boolean;
  readonly #limit: number;
  #reader: ChangeReader | undefined;
  /** The token up to which all has been read already. */
  #after = '';
  #arrived: C[] = [];
  /** What was returned last has been processed, or nothing was yet. */
  #isProcessed = true;
  #isEnded = false;
  #failure: unknown;
  #waiting: Waiting<C> | undefined;
  /** Whether the next message may be asked for. */
  #isWanted = false;

  /** The limit is the most changes that are processed together. */
  constructor(watch: Watch, limit: number) {
    this.watch = watch;
    this.concerns = concerns(watch);
    this.#limit = limit;
  }

  /** The changes that have arrived, once there are any; none when there will be no more. Those of the last call are processed by now. */
  async next(): Promise<readonly C[]> {
    this.#isProcessed = true;
    if (!this.#isDone) await this.#until(() => true);
    // The rest of the message that has brought the first.
    for (let before = 0; this.#arrived.length > before && this.#mayComeMore; await turn())
      before = this.#arrived.length;
    const arrived = this.#arrived.splice(0, this.#limit);
    this.#isProcessed = false;
    this.#reader?.goOn();
    return arrived;
  }

  /** Where to go on from while all that arrived is processed. */
  get idlePlace(): Place | undefined {
    return !this.#isDone && this.#isProcessed ? this.#reader?.idlePlaceOf(this) : undefined;
  }

  /** Lets changes come together for so long, or until one of them is urgent, or there is no room for more. */
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

  /** Ends it: nothing that has arrived is processed. */
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

  /** Throws what it ended with, if that was no request to end. */
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

  /** Whether the last message may have brought more, for which there is room: an event alone need not wait for another turn. */
  get #mayComeMore(): boolean {
    return !this.#reader?.isWhole && !this.#isFull;
  }

  #want(): void {
    this.#isWanted = true;
    this.#reader?.goOn();
  }

  /** Waits for a change, and asks for the next message. */
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
