import { setImmediate as turn } from 'node:timers/promises';
import type { AbstractCursor, ChangeStream, Document, ResumeToken } from 'mongodb';

/** How many changes are decoded in one turn of the event loop at most, so that requests need not wait for all of them. */
const IN_ONE_TURN = 100;

/** How often it is asked what is new while changes come together; each answer costs as much as a query. */
const LOOK_MS = 40;

/** Who waits for a change. */
interface Waiting<C> {
  readonly isFor: (change: C) => boolean;
  readonly resolve: () => void;
}

/**
 * The changes of a stream that have arrived and are still to be processed, up to a limit. What one message of MongoDB brings
 * arrives in a few turns of the event loop; the driver's own `Readable` takes a turn for each change. The next message is asked
 * for when somebody waits for it: each would bring little while much happens.
 */
export class ChangeFeed<C extends Document> {
  readonly #stream: ChangeStream<Document, C>;
  readonly #limit: number;
  #arrived: C[] = [];
  /** What was returned last has been processed, or nothing was yet. */
  #isProcessed = true;
  #isEnded = false;
  #failure: unknown;
  #waiting: Waiting<C> | undefined;
  /** Whether the change that arrived last is the last one of its message. */
  #isWhole = false;
  /** Whether the next message may be asked for. */
  #isWanted = false;
  /** Looks again whether there is anything to read. */
  #goOn: (() => void) | undefined;

  constructor(stream: ChangeStream<Document, C>, limit: number) {
    this.#stream = stream;
    this.#limit = limit;
    void this.#read();
  }

  /** The changes that have arrived, once there are any; none when there will be no more. Those of the last call are processed by now. */
  async next(): Promise<readonly C[]> {
    this.#isProcessed = true;
    if (!this.#isDone) await this.#until(() => true);
    // The rest of the message that has brought the first.
    for (let before = 0; this.#arrived.length > before && this.#mayComeMore; await turn())
      before = this.#arrived.length;
    const arrived = this.#arrived;
    this.#arrived = [];
    this.#isProcessed = false;
    this.#goOn?.();
    return arrived;
  }

  /** Where to go on from while all that arrived is processed: MongoDB's token is behind all that it has passed on. */
  get idleToken(): ResumeToken | undefined {
    const isIdle = !this.#isDone && this.#isProcessed && bufferIn(this.#stream).bufferedCount() === 0;
    return isIdle ? this.#stream.resumeToken : undefined;
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
    this.#endWith(failure);
  }

  async close(): Promise<void> {
    this.end();
    await this.#stream.close();
  }

  /** Throws what it ended with, if that was no request to end. */
  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  get #isDone(): boolean {
    return this.#arrived.length > 0 || this.#isEnded;
  }

  get #isFull(): boolean {
    return this.#arrived.length >= this.#limit || this.#isEnded;
  }

  /** Whether the last message may have brought more, for which there is room: an event alone need not wait for another turn. */
  get #mayComeMore(): boolean {
    return !this.#isWhole && !this.#isFull;
  }

  async #read(): Promise<void> {
    try {
      for (;;) {
        while (!this.#isEnded && !this.#mayRead) await this.#untilAsked();
        if (this.#isEnded) return;
        const change = await this.#stream.next();
        if (this.#isEnded) return;
        this.#isWanted = false;
        this.#isWhole = bufferIn(this.#stream).bufferedCount() === 0;
        this.#take([change]);
        await this.#readBuffered();
      }
    } catch (error) {
      this.#endWith(error);
    }
  }

  /**
   * The rest of the message but for its last change, without what the stream does for each of them. With the last one, which it
   * passes on itself, it learns where to go on when the connection breaks.
   */
  async #readBuffered(): Promise<void> {
    const buffer = bufferIn(this.#stream);
    for (;;) {
      const room = this.#isEnded ? 0 : this.#limit - this.#arrived.length;
      const count = Math.min(IN_ONE_TURN, room, buffer.bufferedCount() - 1);
      if (count <= 0) return;
      this.#take(buffer.readBufferedDocuments(count) as C[]);
      await turn();
    }
  }

  #take(changes: readonly C[]): void {
    for (const change of changes) this.#arrived.push(change);
    if (changes.some((change) => this.#waiting?.isFor(change))) this.#wake();
  }

  #endWith(failure: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#failure = failure;
    this.#wake();
    this.#goOn?.();
  }

  /** Whether there is room for what the last message has brought, or for the next one. */
  get #mayRead(): boolean {
    return !this.#isFull && (this.#isWanted || bufferIn(this.#stream).bufferedCount() > 0);
  }

  #want(): void {
    this.#isWanted = true;
    this.#goOn?.();
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

  #untilAsked(): Promise<void> {
    return new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }
}

/** What the last message has brought that is not read yet: the driver tells it of its cursors. */
type Buffer = Pick<AbstractCursor, 'bufferedCount' | 'readBufferedDocuments'>;
const NOTHING: Buffer = { bufferedCount: () => 0, readBufferedDocuments: () => [] };
const bufferIn = (stream: object): Buffer => (stream as { readonly cursor?: Buffer }).cursor ?? NOTHING;
