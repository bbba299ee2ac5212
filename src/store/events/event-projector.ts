import { channel } from 'node:diagnostics_channel';
import type { Db } from 'mongodb';
import { followChanges } from '../change-streams/follow-changes.ts';
import { isStreamHistoryLost } from '../change-streams/lost-history.ts';
import { MarkSignals } from '../change-streams/mark-signals.ts';
import { isMark, marksIn } from '../change-streams/marks.ts';
import type { ProjectionLog } from '../change-streams/projection.ts';
import { resumePointAfter } from '../change-streams/resume-point.ts';
import { Lease, type Progress } from '../leases/lease.ts';
import { pause, startUnderLease, TERM_MS } from '../leases/work-under-lease.ts';
import { type Change, DocumentChanges, EVENT_WATCH } from './document-changes.ts';
import { EVENTS, EVENTS_LEASE, type EventLog, type NewEvent } from './event-log.ts';

/** The most events per write when many are created at once. */
const BATCH = 1_000;
/**
 * While many batches are written in quick succession, changes are gathered: writing them costs less, and requests wait less for a
 * disk busy with events. The size of a batch does not matter: whatever follows a single large one, such as the findings of many
 * jobs, need not wait.
 */
const GATHERED_MS = 20;
const MANY = 5;
const SHORTLY_MS = 100;

/** A batch of recorded events, as published on a diagnostics channel. */
export interface RecordedEvents {
  readonly count: number;
  /** From the first change until its event was stored. */
  readonly delaySeconds: number;
}

/** Where `RecordedEvents` are published. */
export const RECORDED = channel('inspection-exchange:recorded-events');

/** Publishes whether this process records events. */
export const RECORDING = channel('inspection-exchange:event-projector');

interface ProjectorOptions {
  /** The retention of events, for clients that reconnect. */
  readonly keptMs: number;
  /** How long changes are gathered while many batches are written in quick succession. */
  readonly gatheredMs?: number | undefined;
  readonly log: ProjectionLog;
}

/**
 * Turns MongoDB's change stream into events, in one process across all gateways, the lease holder. It continues where the previous
 * holder stopped and writes no event twice. Returns a function that stops it.
 */
export function startProjecting(db: Db, events: EventLog, options: ProjectorOptions): () => Promise<void> {
  return new EventProjector(db, events, options).start();
}

class EventProjector {
  readonly #db: Db;
  readonly #changes: DocumentChanges;
  readonly #events: EventLog;
  readonly #lease: Lease;
  readonly #log: ProjectionLog;
  readonly #keptMs: number;
  readonly #gatheredMs: number;
  readonly #signals: MarkSignals;
  #savedAt = Number.NEGATIVE_INFINITY;
  /** The number of recent batches, decaying with age. */
  #recent = 0;
  #counted = 0;

  constructor(db: Db, events: EventLog, { keptMs, gatheredMs = GATHERED_MS, log }: ProjectorOptions) {
    this.#db = db;
    this.#changes = new DocumentChanges(db, events, (document, err) =>
      log.warn({ document, err }, 'a change of a document cannot be an event; it is left out'),
    );
    this.#events = events;
    this.#lease = new Lease(db, EVENTS_LEASE);
    this.#signals = new MarkSignals(db, EVENTS.mark);
    this.#log = log;
    this.#keptMs = keptMs;
    this.#gatheredMs = gatheredMs;
  }

  start(): () => Promise<void> {
    const begun = this.#changes.now(); // before the first request is served
    begun.catch(() => undefined); // retried where it is needed
    return startUnderLease({
      lease: this.#lease,
      work: (progress, stopped) => this.#record(progress, begun, stopped).finally(() => RECORDING.publish(false)),
      interrupted: (err) =>
        this.#log.warn({ err }, 'the recording of events was interrupted; it resumes where it stopped'),
    });
  }

  /** Continues where the last holder stopped or, if there was none, from where this process started. */
  async #record(progress: Progress, begun: Promise<Progress>, stopped: AbortSignal): Promise<void> {
    this.#log.info({}, 'this process records events');
    RECORDING.publish(true);
    await this.#changes.keepImages().catch((err: unknown) => {
      this.#log.warn({ err }, 'MongoDB does not keep images of deleted documents; their last events are used instead');
    });
    if (!(await this.#shortenRetention())) return;
    if (progress.restored) return this.#catchUp();
    if (progress.token || progress.from) return this.#follow(progress, stopped).catch((error) => this.#rescan(error));
    const from = await begun.catch(() => this.#changes.now());
    if (await this.#lease.keep(from)) await this.#follow(from, stopped);
  }

  /**
   * Caps the expiry of existing events at that of newly written ones: readers assume that everything after the first retained event
   * is complete. False if the lease was lost.
   */
  async #shortenRetention(): Promise<boolean> {
    while (await this.#events.shortenTo(this.#keptMs)) if (!(await this.#lease.renew())) return false;
    return true;
  }

  /** Writes events until the lease is lost, the projector is stopped or an error occurs. */
  async #follow(place: Progress, stopped: AbortSignal): Promise<void> {
    let last = await this.#events.latest();
    await followChanges<Change>(this.#db, {
      ...{ watch: EVENT_WATCH, limit: BATCH, place, stopped },
      lease: this.#lease,
      savePlace: (idle) => this.#lease.keep(idle, { isRepeatable: true }),
      handle: async (batch) => {
        const changes = batch.filter((change) => !isMark(change));
        const events = (await Promise.all(changes.map((change) => this.#changes.eventsOf(change)))).flat();
        last = await this.#write(events, last);
        const { mark, marked, isAwaitedElsewhere } = marksIn(batch, this.#signals.process);
        const place = resumePointAfter(batch.at(-1), mark);
        this.#signals.passed(place, marked);
        // A write would itself be a change the next reader has to wait for.
        const isPlaceRecent = performance.now() - this.#savedAt < TERM_MS;
        if (changes.length === 0 && isPlaceRecent && !isAwaitedElsewhere) return true;
        // Readers elsewhere see only what a majority has.
        const isHeld = await this.#lease.keep({ ...place, last }, { isRepeatable: !isAwaitedElsewhere });
        this.#savedAt = performance.now();
        if (isHeld && changes.length > 0 && this.#isBusy()) await pause(this.#gatheredMs, stopped);
        return isHeld;
      },
    });
  }

  /** Counts a batch; whether many were written within about the last `SHORTLY_MS`. */
  #isBusy(): boolean {
    const now = performance.now();
    this.#recent = this.#recent * Math.exp((this.#counted - now) / SHORTLY_MS) + 1;
    this.#counted = now;
    return this.#recent >= MANY;
  }

  /** If MongoDB's oplog does not reach back to where we stopped, reads the documents that changed since. */
  async #rescan(error: unknown): Promise<void> {
    if (!isStreamHistoryLost(error)) throw error;
    this.#log.warn({}, 'MongoDB’s log does not reach back to the last event; documents that changed since are read');
    await this.#catchUp();
  }

  /**
   * Writes events for the documents that changed since the last event, or since the last change that was processed if no event is kept;
   * then continues from the current position.
   */
  async #catchUp(): Promise<void> {
    const progress = await this.#lease.take();
    if (!progress) return;
    const from = await this.#changes.now();
    const time = await this.#events.latestTime(progress.at);
    let last = await this.#events.latest();
    let batch: NewEvent[] = [];
    for await (const event of this.#changes.since(time, progress.at)) {
      if (batch.push(event) < BATCH) continue;
      last = await this.#write(batch, last);
      batch = [];
      if (!(await this.#lease.renew())) return;
    }
    last = await this.#write(batch, last);
    await this.#lease.keep({ token: null, ...from, last, restored: false });
  }

  /** Writes events after the given sequence number and returns the last one. */
  async #write(events: readonly NewEvent[], after: number): Promise<number> {
    const last = await this.#events.write(events, { after, keptMs: this.#keptMs });
    const [first] = events;
    if (first && RECORDED.hasSubscribers) {
      const delaySeconds = Math.max(0, Date.now() - first.at.getTime()) / 1_000;
      RECORDED.publish({ count: events.length, delaySeconds } satisfies RecordedEvents);
    }
    return last;
  }
}
