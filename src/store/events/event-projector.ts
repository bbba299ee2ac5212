import { channel } from 'node:diagnostics_channel';
import type { Readable } from 'node:stream';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { Lease, type Progress } from '../lease.ts';
import { type Change, DocumentChanges } from './document-changes.ts';
import { EVENTS_LEASE, type EventLog, type NewEvent } from './event-log.ts';

/** The interval in milliseconds at which the lease is renewed, or requested by the other processes. */
const TERM_MS = 3_000;
const PAUSE_MS = 1_000;
/** The most events of one write where many are made at once. */
const BATCH = 500;
/** MongoDB's log does not reach back to where it is asked to begin. */
const HISTORY_LOST = new Set([280, 286]);

/** A batch of recorded events, as it is published on a diagnostics channel. */
export interface RecordedEvents {
  readonly count: number;
  /** From the first of the changes until its event was there. */
  readonly delaySeconds: number;
}

/** Where `RecordedEvents` are published. */
export const RECORDED = channel('inspection-exchange:recorded-events');

/** Where it is published whether this process records events. */
export const RECORDING = channel('inspection-exchange:event-projector');

/** The observer of the projector. */
export interface ProjectorLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface ProjectorOptions {
  /** The retention of events, for clients that reconnect. */
  readonly keptMs: number;
  readonly log: ProjectorLog;
}

/**
 * Turns MongoDB's change stream into events, in one process of all gateways at a time, the holder of the lease. It continues where
 * the previous holder stopped and writes no event twice. The function that is returned ends it.
 */
export function startProjecting(db: Db, events: EventLog, options: ProjectorOptions): () => Promise<void> {
  const projector = new EventProjector(db, events, options);
  const running = projector.run();
  return () => {
    projector.stop();
    return running;
  };
}

class EventProjector {
  readonly #changes: DocumentChanges;
  readonly #events: EventLog;
  readonly #lease: Lease;
  readonly #log: ProjectorLog;
  readonly #keptMs: number;
  readonly #stopped = new AbortController();

  constructor(db: Db, events: EventLog, { keptMs, log }: ProjectorOptions) {
    this.#changes = new DocumentChanges(db, events);
    this.#events = events;
    this.#lease = new Lease(db, EVENTS_LEASE);
    this.#log = log;
    this.#keptMs = keptMs;
  }

  stop(): void {
    this.#stopped.abort();
  }

  async run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      try {
        const progress = await this.#lease.take();
        if (progress) await this.#record(progress).finally(() => RECORDING.publish(false));
        else await this.#pause(TERM_MS);
      } catch (err) {
        if (this.#stopped.signal.aborted) break;
        this.#log.warn({ err }, 'the recording of events was interrupted; it goes on where it stopped');
        await this.#pause(PAUSE_MS);
      }
    }
    await this.#lease.release().catch(() => undefined); // it runs out by itself
  }

  async #record(progress: Progress): Promise<void> {
    this.#log.info({}, 'this process records events');
    RECORDING.publish(true);
    await this.#changes.keepImages().catch((err: unknown) => {
      this.#log.warn({ err }, 'MongoDB does not keep images of deleted documents; their last events stand in');
    });
    if (progress.restored) return this.#catchUp();
    if (progress.token || progress.from) return this.#follow(progress).catch((error) => this.#rescan(error));
    const from = await this.#changes.now();
    if (await this.#lease.keep(from)) await this.#follow(from);
  }

  /** Writes what happens until the lease is lost, the projector is stopped or something breaks. */
  async #follow(place: Progress): Promise<void> {
    let last = await this.#events.latest();
    const stream = this.#changes.open(place);
    const changes = stream.stream();
    let failure: Error | undefined;
    changes.on('error', (error) => {
      failure = error;
    });
    let isIdle = false;
    const end = (): void => void changes.destroy();
    const renewal = setInterval(() => {
      // Only where nothing is on its way between MongoDB and the events does its place hold for ours.
      const token = isIdle && changes.readableLength === 0 ? stream.resumeToken : undefined;
      this.#renew(token).then(
        (held) => held || end(),
        (error: Error) => void changes.destroy(error),
      );
    }, TERM_MS);
    this.#stopped.signal.addEventListener('abort', end);
    try {
      while (!changes.destroyed && !changes.readableEnded && !this.#stopped.signal.aborted) {
        const batch = await gathered<Change>(changes);
        if (batch.length === 0) {
          isIdle = true;
          await readable(changes);
          isIdle = false;
          continue;
        }
        const made = await Promise.all(batch.map((change) => this.#changes.eventOf(change)));
        const events = made.filter((event) => event !== undefined);
        last = await this.#write(events, last);
        if (!(await this.#lease.keep({ token: batch.at(-1)?._id, last }))) return;
      }
    } finally {
      clearInterval(renewal);
      this.#stopped.signal.removeEventListener('abort', end);
      changes.destroy();
      await stream.close();
    }
    if (failure) throw failure;
    // The cursor was killed or the collection dropped: without this, no subscriber would ever be woken again.
    if (changes.readableEnded) throw new Error('MongoDB ended the change stream.');
  }

  /** False when the lease was lost. Where nothing happens, the place moves on all the same, so that it does not get old. */
  async #renew(token: Progress['token']): Promise<boolean> {
    const held = (await this.#lease.take()) !== undefined;
    return held && (token === undefined || (await this.#lease.keep({ token })));
  }

  /** When MongoDB's log does not reach back to where we stopped: takes the documents that changed since then. */
  async #rescan(error: unknown): Promise<void> {
    if (!HISTORY_LOST.has(Number((error as { code?: unknown }).code))) throw error;
    this.#log.warn({}, 'MongoDB’s log does not reach back to the last event; documents that changed since are read');
    await this.#catchUp();
  }

  /** Writes events for the documents that changed since the last event, and goes on from the present place. */
  async #catchUp(): Promise<void> {
    const from = await this.#changes.now();
    const time = (await this.#events.latestTime()) ?? new Date();
    let last = await this.#events.latest();
    let batch: NewEvent[] = [];
    for await (const event of this.#changes.since(time)) {
      if (batch.push(event) < BATCH) continue;
      last = await this.#write(batch, last);
      batch = [];
      if (!(await this.#lease.take())) return;
    }
    last = await this.#write(batch, last);
    await this.#lease.keep({ token: null, ...from, last, restored: false });
  }

  /** Writes events after the one with that sequence, and returns the last one's. */
  async #write(events: readonly NewEvent[], after: number): Promise<number> {
    const last = await this.#events.write(events, { after, keptMs: this.#keptMs });
    const [first] = events;
    if (first && RECORDED.hasSubscribers) {
      const delaySeconds = Math.max(0, Date.now() - first.at.getTime()) / 1_000;
      RECORDED.publish({ count: events.length, delaySeconds } satisfies RecordedEvents);
    }
    return last;
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
  }
}

/** What there is to read: the stream itself has only a few at hand, and fetches the next while the event loop turns. */
async function gathered<T>(stream: Readable): Promise<T[]> {
  const items: T[] = [];
  for (let before = -1; items.length > before && items.length < BATCH; await turn()) {
    before = items.length;
    for (let item: T | null = stream.read(); item !== null; item = stream.read()) items.push(item);
  }
  return items;
}

/** Waits until there is something to read, or nothing will come any more. */
function readable(stream: Readable): Promise<void> {
  if (stream.destroyed || stream.readableEnded) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('readable', done).off('end', done).off('close', done);
      resolve();
    };
    stream.on('readable', done).on('end', done).on('close', done);
  });
}
