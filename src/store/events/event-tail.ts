import { setTimeout as sleep } from 'node:timers/promises';
import type { DocumentEvent } from '../../model/entity/event.ts';
import type { EventLog } from './event-log.ts';

/** How many of the newest events are kept in memory. */
const BUFFERED_EVENTS = 1_000;
const BATCH = 500;
/** The polling interval in milliseconds for events without a notification. */
const LOOK_MS = 2_000;
const PAUSE_MS = 1_000;
/** Reading continues for this long after the last subscription ends, so that short successive ones share a change stream. */
const LINGER_MS = 5_000;

/**
 * The newest events, shared by all subscriptions of a service: read once, or taken from the projector if it runs in this process,
 * and only while there are subscriptions. A subscription that falls behind reads from the log, so a slow client costs no memory.
 */
export class EventTail {
  readonly log: EventLog;
  #newest: DocumentEvent[] = [];
  /** Undefined until the log has been queried for its newest event; 0 if there never was one. */
  #sequence: number | undefined;
  /** The number of subscriptions per subscriber. */
  readonly #subscribers = new Map<string, number>();
  #closed = false;
  #stop: AbortController | undefined;
  #linger: NodeJS.Timeout | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(log: EventLog) {
    this.log = log;
  }

  /** True if EVENTS is off, and once the process is stopping: new subscriptions are rejected. */
  get closed(): boolean {
    return this.#closed;
  }

  /** The number of open subscriptions of a subscriber in this service. */
  subscriptionsOf(subscriber: string): number {
    return this.#subscribers.get(subscriber) ?? 0;
  }

  /** Starts a subscription; returns a function that ends it. */
  subscribe(subscriber: string): () => void {
    this.#subscribers.set(subscriber, this.subscriptionsOf(subscriber) + 1);
    clearTimeout(this.#linger);
    if (!this.#stop) {
      this.#stop = new AbortController();
      this.#newest = [];
      this.#sequence = undefined;
      void this.#run(this.#stop.signal);
    }
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = this.subscriptionsOf(subscriber) - 1;
      if (left > 0) this.#subscribers.set(subscriber, left);
      else this.#subscribers.delete(subscriber);
      if (this.#subscribers.size === 0) this.#linger = setTimeout(() => this.#end(), LINGER_MS).unref();
    };
  }

  /** Every event after a position; undefined if they are no longer in memory and the log must be read. */
  since(sequence: number): readonly DocumentEvent[] | undefined {
    const [first] = this.#newest;
    if (!this.#stop || this.#sequence === undefined) return undefined; // without subscriptions, the buffer is out of date
    if (sequence >= this.#sequence) return [];
    if (!first || first.sequence > sequence + 1) return undefined;
    return this.#newest.filter((event) => event.sequence > sequence);
  }

  /** Whether an event is the newest this process knows of, while following the log. */
  isNewest(sequence: number): boolean {
    return this.#stop !== undefined && sequence > 0 && sequence === this.#sequence;
  }

  /** Waits until there are events after a place, the process stops, or `ended` is aborted. */
  async wait(sequence: number, ended: AbortSignal): Promise<void> {
    if ((this.#sequence ?? 0) > sequence || this.#closed || ended.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        ended.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      ended.addEventListener('abort', wake);
    });
  }

  /** Ends all reading and waiting. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#linger);
    this.#end();
    this.#wakeAll();
  }

  #end(): void {
    this.#stop?.abort();
    this.#stop = undefined;
  }

  async #run(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      const stream = this.log.watch();
      let turn = Promise.withResolvers<void>();
      const wake = (): void => turn.resolve();
      const look = setInterval(wake, LOOK_MS).unref();
      let failure: Error | undefined;
      const endListening = this.log.onWritten((events) => this.#takeWritten(events) || wake());
      stream.on('change', ({ fullDocument }) => {
        if (fullDocument.sequence > (this.#sequence ?? 0)) wake();
      });
      stream.on('error', (error) => {
        failure = error;
        wake();
      });
      stopped.addEventListener('abort', wake);
      try {
        while (!stopped.aborted && !failure) {
          await this.#read(stopped);
          await turn.promise;
          turn = Promise.withResolvers<void>();
        }
      } catch {
        // MongoDB is unreachable: events are read once it is back
      }
      clearInterval(look);
      endListening();
      stopped.removeEventListener('abort', wake);
      await stream.close().catch(() => undefined);
      if (!stopped.aborted) await sleep(PAUSE_MS);
    }
  }

  /** Results that arrive after the stop are ignored: a new reader may have started afresh by then. */
  async #read(stopped: AbortSignal): Promise<void> {
    if (this.#sequence === undefined) {
      const latest = await this.log.latest();
      if (stopped.aborted) return;
      this.#sequence = latest;
      this.#wakeAll();
    }
    for (let count = BATCH; count === BATCH; ) {
      const events = await this.log.after(this.#sequence, BATCH);
      if (stopped.aborted) return;
      count = events.length;
      this.#add(events);
    }
  }

  /** Adds events written by this process; false if they leave a gap, so that the log must be read. */
  #takeWritten(events: readonly DocumentEvent[]): boolean {
    const [first] = events;
    if (this.#sequence === undefined || !first || first.sequence > this.#sequence + 1) return false;
    this.#add(events);
    return true;
  }

  /** Skips events already known, which were written while the log was read. */
  #add(events: readonly DocumentEvent[]): void {
    const known = this.#sequence ?? 0;
    const fresh = events.filter(({ sequence }) => sequence > known);
    const [first, last] = [fresh[0], fresh.at(-1)];
    if (!first || !last) return;
    // If events expired before they were read here, those before them are no beginning of what follows.
    const before = first.sequence === known + 1 ? this.#newest : [];
    this.#newest = [...before, ...fresh].slice(-BUFFERED_EVENTS);
    this.#sequence = last.sequence;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
