import type { ClientSession, Db } from 'mongodb';
import { Lease } from '../leases/lease.ts';
import { startUnderLease } from '../leases/work-under-lease.ts';
import { followChanges } from './follow-changes.ts';
import { gather } from './gather.ts';
import { isStreamHistoryLost } from './lost-history.ts';
import { keepImages } from './pre-images.ts';
import { OwnedResumePoint, type ResumePoint, takeOver } from './resume-point.ts';
import type { Watch, WatchedChange } from './watch.ts';

/** The observer of a projection. */
export interface ProjectionLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Data derived from MongoDB's change stream, and the names of its documents in `leases`. */
export interface ProjectionSource {
  /** Its name in log lines, in the plural. */
  readonly title: string;
  readonly lease: string;
  readonly resumePoint: string;
  readonly watch: Watch;
  /** The most changes per batch. */
  readonly batch: number;
  /** Changes within this time are processed together unless a reader waits: a job and its results often arrive together. */
  readonly gatherMs: number;
}

/** How the data is derived. */
interface ProjectionSteps<C extends WatchedChange> {
  /** Called when this process takes over, perhaps where another one stopped. */
  begin(point: ResumePoint): Promise<void> | void;
  /** Processes a batch of changes and saves the resume point after it; false if the lease was lost or the work is stopped. */
  apply(batch: readonly C[], stopped: AbortSignal): Promise<boolean>;
  /** Rebuilds everything and returns where to follow from; undefined if the lease was lost or the work is stopped. */
  rebuild(point: ResumePoint, stopped: AbortSignal): Promise<ResumePoint | undefined>;
}

/**
 * Keeps derived data up to date with MongoDB's change stream, in one process across all gateways, the lease holder. It continues
 * where the previous holder stopped, and rebuilds everything if MongoDB's oplog does not reach back that far.
 */
export class Projection<C extends WatchedChange> {
  readonly lease: Lease;
  readonly point: OwnedResumePoint;
  /** The session of its transactions, which the next lease holder can end. */
  readonly session: ClientSession;
  readonly #db: Db;
  readonly #log: ProjectionLog;
  readonly #source: ProjectionSource;

  constructor(db: Db, log: ProjectionLog, source: ProjectionSource) {
    this.lease = new Lease(db, source.lease);
    this.point = new OwnedResumePoint(db, source.resumePoint);
    this.session = db.client.startSession({ causalConsistency: true });
    this.#db = db;
    this.#log = log;
    this.#source = source;
  }

  /** Returns a function that stops it. */
  start(steps: ProjectionSteps<C>): () => Promise<void> {
    const end = startUnderLease({
      lease: this.lease,
      work: async (progress, stopped) => this.#run(await takeOver(this.#db, progress, this), steps, stopped),
      interrupted: (err) =>
        this.#log.warn({ err }, `the keeping of ${this.#source.title} was interrupted; it resumes where it stopped`),
    });
    return async () => {
      await end();
      this.session.endSession().catch(() => undefined); // the client ends it otherwise
    };
  }

  async #run(point: ResumePoint, steps: ProjectionSteps<C>, stopped: AbortSignal): Promise<void> {
    const { title } = this.#source;
    this.#log.info({}, `this process keeps ${title}`);
    await keepImages(this.#db).catch((err: unknown) => {
      this.#log.warn({ err }, 'MongoDB does not keep images of deleted documents; their tombstones are used instead');
    });
    await steps.begin(point);
    if (isComplete(point)) {
      try {
        return await this.#follow(point, steps, stopped);
      } catch (error) {
        if (!isStreamHistoryLost(error)) throw error;
        this.#log.warn({}, `MongoDB’s log does not reach back to where ${title} were kept; they are rebuilt`);
      }
    }
    const next = await steps.rebuild(point, stopped);
    if (next) await this.#follow(next, steps, stopped);
  }

  #follow(point: ResumePoint, steps: ProjectionSteps<C>, stopped: AbortSignal): Promise<void> {
    const { watch, batch: limit, gatherMs } = this.#source;
    return followChanges<C>(this.#db, {
      ...{ watch, limit, place: point, stopped },
      lease: this.lease,
      savePlace: (place) => this.point.save(place),
      handle: async (batch, feed) => {
        const begun = performance.now();
        const isKept = await steps.apply(batch, stopped);
        if (isKept) await gather(feed, { last: batch.at(-1), tookMs: performance.now() - begun, gatherMs });
        return isKept;
      },
    });
  }
}

/** Whether everything up to the resume point is included: no rebuild is unfinished. */
const isComplete = ({ at, token, from, rebuilt }: ResumePoint): boolean =>
  at !== undefined && Boolean(token || from) && typeof rebuilt !== 'string';
