import { setImmediate as turn } from 'node:timers/promises';
import type { AbstractCursor, ChangeStream, Db, Document, ResumeToken } from 'mongodb';
import { changesFrom, type Place, textOf } from './resume-point.ts';
import { pipelineOf, type Watch, type WatchedChange } from './watch.ts';

/** How many changes are decoded in one turn of the event loop at most, so that requests need not wait for all of them. */
const IN_ONE_TURN = 100;
/** What happened between two streams that are no further apart may be read once more. */
const NEAR_SECONDS = 1;

/** Whoever reads the changes of a stream. */
export interface Subscriber {
  readonly watch: Watch;
  concerns(change: WatchedChange): boolean;
  /** What it gets comes from that reader from now on. */
  readBy(reader: ChangeReader): void;
  /** What comes up to that position has been passed on to it already. */
  skipTo(position: ResumeToken): void;
  isAheadOf(position: ResumeToken): boolean;
  /** It keeps of them what it watches. */
  take(changes: readonly WatchedChange[]): void;
  /** How many more changes it has room for. */
  readonly room: number;
  /** Whether it wants the next message. */
  readonly isWaiting: boolean;
  /** Whether more waits in it than those who read with it are to keep for it. */
  readonly isFarBehind: boolean;
  /** Behind all that it has got. */
  readonly lastToken: ResumeToken | undefined;
  /** There will be no more. */
  fail(failure: unknown): void;
}

/** What a reader tells of. */
export interface ReaderEvents {
  /** All that a message has brought was passed on. */
  atEnd(reader: ChangeReader): void;
  /** The others do not wait for a feed any longer, which goes on by itself from where it is. */
  leftBehind(feed: Subscriber): void;
  ended(reader: ChangeReader): void;
  /** A stream of several feeds has ended with an error. */
  sharedFailed(): void;
}

/** Where a reader begins. */
export interface Beginning {
  readonly place: Place;
  /** The last change before it, if that was read by another reader. */
  readonly last?: WatchedChange | undefined;
}

/**
 * One change stream of MongoDB, and the feeds that it is passed on to. What one message brings arrives in a few turns of the event
 * loop; the driver's own `Readable` takes a turn for each change.
 */
export class ChangeReader {
  readonly #feeds: Set<Subscriber>;
  readonly #stream: ChangeStream<Document, WatchedChange>;
  readonly #events: ReaderEvents;
  /** Whether it is of several feeds, which have places of their own to begin anew from. */
  readonly #isShared: boolean;
  #last: WatchedChange | undefined;
  /** Up to where all has been passed on; undefined before the first message, and within one. */
  #position: ResumeToken | undefined;
  /** Whether the change that arrived last is the last one of its message. */
  #isWhole = false;
  #isEnded = false;
  /** Looks again whether there is anything to read. */
  #goOn: (() => void) | undefined;

  constructor(db: Db, feeds: readonly Subscriber[], { place, last }: Beginning, events: ReaderEvents) {
    const watches = feeds.map(({ watch }) => watch);
    this.#feeds = new Set(feeds);
    this.#isShared = feeds.length > 1;
    this.#events = events;
    this.#last = last;
    this.#stream = changesFrom(db, pipelineOf(db, watches), place);
    for (const feed of feeds) feed.readBy(this);
    void this.#read();
  }

  get feeds(): readonly Subscriber[] {
    return [...this.#feeds];
  }

  get last(): WatchedChange | undefined {
    return this.#last;
  }

  get position(): ResumeToken | undefined {
    return this.#position;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Whether both have passed on all that they have read, and their last changes happened at about the same time. */
  isNear(other: ChangeReader): boolean {
    if (this.position === undefined || other.position === undefined) return false;
    const [own, others] = [this, other].map(({ last }) => last?.clusterTime?.getHighBits());
    return own !== undefined && others !== undefined && Math.abs(own - others) <= NEAR_SECONDS;
  }

  /**
   * Where a feed that has processed all goes on from: MongoDB's token is behind all that it has passed on. It does not go on from
   * a change that the stream would not have passed on, so that a feed goes on from the time of what is of no concern to it.
   * Not to be asked while a change may be on its way from the driver, but in a turn of the event loop of its own.
   */
  idlePlaceOf(feed: Subscriber): Place | undefined {
    const token = this.#stream.resumeToken;
    if (!token || bufferIn(this.#stream).bufferedCount() > 0 || feed.isAheadOf(token)) return undefined;
    if (!this.#last || textOf(token) !== textOf(this.#last._id) || feed.concerns(this.#last)) return { token };
    return this.#last.clusterTime && { token: null, from: this.#last.clusterTime };
  }

  /** Looks whether a feed wants the next message. */
  goOn(): void {
    this.#goOn?.();
  }

  /** The stream ends with its last feed. */
  async leave(feed: Subscriber): Promise<void> {
    if (this.#feeds.delete(feed) && this.#feeds.size === 0) await this.close();
  }

  /** Ends it without a word to its feeds. */
  async close(): Promise<void> {
    this.#end();
    await this.#stream.close();
  }

  async #read(): Promise<void> {
    try {
      for (;;) {
        while (!this.#isEnded && !this.#mayRead) await this.#untilAsked();
        if (this.#isEnded) return;
        const change = await this.#stream.next();
        if (this.#isEnded) return;
        this.#position = undefined;
        this.#isWhole = bufferIn(this.#stream).bufferedCount() === 0;
        this.#pass([change]);
        await this.#readBuffered();
        this.#endMessage();
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * The rest of the message but for its last change, without what the stream does for each of them. With the last one, which it
   * passes on itself, it learns where to go on when the connection breaks.
   */
  async #readBuffered(): Promise<void> {
    const buffer = bufferIn(this.#stream);
    for (;;) {
      const room = this.#isEnded ? 0 : Math.max(0, ...this.feeds.map((feed) => feed.room));
      const count = Math.min(IN_ONE_TURN, room, buffer.bufferedCount() - 1);
      if (count <= 0) return;
      this.#pass(buffer.readBufferedDocuments(count) as WatchedChange[]);
      await turn();
    }
  }

  #pass(changes: readonly WatchedChange[]): void {
    this.#last = changes.at(-1);
    for (const feed of this.#feeds) {
      feed.take(changes);
      if (!feed.isFarBehind || this.#feeds.size === 1) continue;
      this.#feeds.delete(feed);
      this.#events.leftBehind(feed);
    }
  }

  #endMessage(): void {
    if (this.#isEnded || bufferIn(this.#stream).bufferedCount() > 0) return;
    this.#position = this.#stream.resumeToken;
    this.#events.atEnd(this);
  }

  #fail(error: unknown): void {
    if (this.#isEnded) return;
    this.#end();
    for (const feed of this.#feeds) feed.fail(this.#isShared ? sharedFailure(error) : error);
    if (this.#isShared) this.#events.sharedFailed();
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#position = undefined;
    this.#goOn?.();
    this.#events.ended(this);
  }

  /** Whether there is room for what the last message has brought, or for the next one. */
  get #mayRead(): boolean {
    const isBuffered = bufferIn(this.#stream).bufferedCount() > 0;
    return this.feeds.some((feed) => feed.room > 0 && (isBuffered || feed.isWaiting));
  }

  #untilAsked(): Promise<void> {
    return new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }
}

/** What a shared stream fails with says nothing of where its feeds are. */
const sharedFailure = (cause: unknown) => new Error('the change stream that projections share ended', { cause });

/** What the last message has brought that is not read yet: the driver tells it of its cursors. */
type Buffer = Pick<AbstractCursor, 'bufferedCount' | 'readBufferedDocuments'>;
const NOTHING: Buffer = { bufferedCount: () => 0, readBufferedDocuments: () => [] };
const bufferIn = (stream: object): Buffer => (stream as { readonly cursor?: Buffer }).cursor ?? NOTHING;
