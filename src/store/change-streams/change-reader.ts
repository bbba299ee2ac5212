import { setImmediate as turn } from 'node:timers/promises';
import type { AbstractCursor, ChangeStream, Db, Document, ResumeToken } from 'mongodb';
import { changesFrom, type Place, textOf } from './resume-point.ts';
import { pipelineOf, type Watch, type WatchedChange } from './watch.ts';

/** The most changes decoded in one turn of the event loop, so that requests need not wait for all of them. */
const IN_ONE_TURN = 100;
/** Streams no further apart than this may be joined, rereading what happened in between. */
const NEAR_SECONDS = 1;

/** A consumer of a stream's changes. */
export interface Subscriber {
  readonly watch: Watch;
  concerns(change: WatchedChange): boolean;
  /** From now on, its changes come from that reader. */
  readBy(reader: ChangeReader): void;
  /** Skips changes up to that position, which it has already received. */
  skipTo(position: ResumeToken): void;
  isAheadOf(position: ResumeToken): boolean;
  /** Keeps the changes that it watches. */
  take(changes: readonly WatchedChange[]): void;
  /** How many more changes it has room for. */
  readonly room: number;
  /** Whether it wants the next message. */
  readonly isWaiting: boolean;
  /** Whether its backlog is larger than the other feeds of its stream should put up with. */
  readonly isFarBehind: boolean;
  /** The token of the last change it received. */
  readonly lastToken: ResumeToken | undefined;
  /** Signals that there will be no more changes. */
  fail(failure: unknown): void;
}

/** The events a reader reports. */
export interface ReaderEvents {
  /** Everything in a message was passed on. */
  atEnd(reader: ChangeReader): void;
  /** A feed the others no longer wait for; it continues alone from where it is. */
  leftBehind(feed: Subscriber): void;
  ended(reader: ChangeReader): void;
  /** A stream shared by several feeds ended with an error. */
  sharedFailed(): void;
}

/** Where a reader starts. */
interface Beginning {
  readonly place: Place;
  /** The last change before it, if another reader read that. */
  readonly last?: WatchedChange | undefined;
}

/**
 * One MongoDB change stream and the feeds it serves. A message is delivered within a few turns of the event loop; the driver's own
 * `Readable` takes a turn for each change.
 */
export class ChangeReader {
  readonly #feeds: Set<Subscriber>;
  readonly #stream: ChangeStream<Document, WatchedChange>;
  readonly #events: ReaderEvents;
  /** Whether it serves several feeds, each with its own place to restart from. */
  readonly #isShared: boolean;
  #last: WatchedChange | undefined;
  /** The position up to which everything has been passed on; undefined before the first message and within one. */
  #position: ResumeToken | undefined;
  /** Whether the last change to arrive is the last one of its message. */
  #isWhole = false;
  #isEnded = false;
  /** Checks again whether there is anything to read. */
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

  /** Whether both have passed on all they have read, and their last changes happened at about the same time. */
  isNear(other: ChangeReader): boolean {
    if (this.position === undefined || other.position === undefined) return false;
    const [own, others] = [this, other].map(({ last }) => last?.clusterTime?.getHighBits());
    return own !== undefined && others !== undefined && Math.abs(own - others) <= NEAR_SECONDS;
  }

  /**
   * Where a feed that has processed everything resumes: MongoDB's token is behind everything passed on. It does not resume from the
   * token of a change that its own stream would filter out, so past irrelevant changes a feed resumes from their time. Must be
   * called in its own turn of the event loop, not while a change may be on its way from the driver.
   */
  idlePlaceOf(feed: Subscriber): Place | undefined {
    const token = this.#stream.resumeToken;
    if (!token || bufferIn(this.#stream).bufferedCount() > 0 || feed.isAheadOf(token)) return undefined;
    if (!this.#last || textOf(token) !== textOf(this.#last._id) || feed.concerns(this.#last)) return { token };
    return this.#last.clusterTime && { token: null, from: this.#last.clusterTime };
  }

  /** Checks whether a feed wants the next message. */
  goOn(): void {
    this.#goOn?.();
  }

  /** Removes a feed; the stream ends with its last one. */
  async leave(feed: Subscriber): Promise<void> {
    if (this.#feeds.delete(feed) && this.#feeds.size === 0) await this.close();
  }

  /** Ends the stream without notifying its feeds. */
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
   * Passes on the rest of the message except its last change, bypassing the stream's work per change. From the last one, which the
   * stream passes on itself, it learns where to resume after a lost connection.
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

  /** Whether there is room for the rest of the last message, or for the next one. */
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

/** The error of a shared stream says nothing about where its feeds are. */
const sharedFailure = (cause: unknown) => new Error('the change stream that projections share ended', { cause });

/** The unread rest of the last message, as the driver's cursors expose it. */
type Buffer = Pick<AbstractCursor, 'bufferedCount' | 'readBufferedDocuments'>;
const NOTHING: Buffer = { bufferedCount: () => 0, readBufferedDocuments: () => [] };
const bufferIn = (stream: object): Buffer => (stream as { readonly cursor?: Buffer }).cursor ?? NOTHING;
