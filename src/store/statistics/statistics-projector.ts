import type { ClientSession, Db } from 'mongodb';
import { isHistoryLost } from '../events/change-batches.ts';
import type { ProjectorLog } from '../events/event-projector.ts';
import { followChanges } from '../events/followed-changes.ts';
import { keepImages } from '../events/pre-images.ts';
import { Lease } from '../lease.ts';
import { ProgressReport } from '../migrations/progress-report.ts';
import { pause, startUnderLease, TERM_MS } from '../work-under-lease.ts';
import { applyFacts, inTransactionOf, JOBS_AT_ONCE } from './apply-facts.ts';
import { CountedChanges, type ToCount } from './counted-changes.ts';
import { newestMark, STATISTICS_LEASE } from './freshness.ts';
import { HeldPlace, type Place, presentPlace, takeOverPlace } from './place.ts';
import { rebuildSteps, rebuildTotal } from './rebuild.ts';

/** What changes within this time is counted at once: a job and its results often come together. */
const GATHERED_MS = 50;
/** The same while many change, who share their sums: it is ended by a reader who waits. */
const GATHERED_MANY_MS = 400;
const MANY = 50;
const LOOK_MS = 40;
const BATCH = 2_000;

/**
 * Keeps statistics up to date with MongoDB's change stream, in one process of all gateways at a time, the holder of the
 * lease. It continues where the previous holder stopped. The function that is returned ends it.
 */
export function startProjectingStatistics(db: Db, log: ProjectorLog): () => Promise<void> {
  return new StatisticsProjector(db, log).start();
}

class StatisticsProjector {
  readonly #db: Db;
  readonly #changes: CountedChanges;
  readonly #lease: Lease;
  readonly #place: HeldPlace;
  readonly #session: ClientSession;
  readonly #log: ProjectorLog;
  #step = 0;
  /** The last mark that was passed. */
  #passed = 0;

  constructor(db: Db, log: ProjectorLog) {
    this.#db = db;
    this.#changes = new CountedChanges(db);
    this.#lease = new Lease(db, STATISTICS_LEASE);
    this.#place = new HeldPlace(db);
    this.#session = db.client.startSession({ causalConsistency: true });
    this.#log = log;
  }

  start(): () => Promise<void> {
    const held = { lease: this.#lease, place: this.#place, session: this.#session };
    const end = startUnderLease({
      lease: this.#lease,
      work: async (progress, stopped) => this.#keep(await takeOverPlace(this.#db, progress, held), stopped),
      interrupted: (err) =>
        this.#log.warn({ err }, 'the keeping of statistics was interrupted; it goes on where it stopped'),
    });
    return async () => {
      await end();
      this.#session.endSession().catch(() => undefined); // the client ends it otherwise
    };
  }

  async #keep(progress: Place, stopped: AbortSignal): Promise<void> {
    this.#log.info({}, 'this process keeps statistics');
    await keepImages(this.#db, ['documents']).catch((err: unknown) => {
      this.#log.warn({ err }, 'MongoDB does not keep images of deleted documents; their tombstones stand in');
    });
    this.#passed = progress.mark ?? 0;
    if (!progress.at || !(progress.token || progress.from)) return this.#rebuild(progress.at === undefined, stopped);
    await this.#follow(progress, stopped).catch((error) => {
      if (!isHistoryLost(error)) throw error;
      this.#log.warn({}, 'MongoDB’s log does not reach back to where statistics were kept; they are counted anew');
      return this.#rebuild(false, stopped);
    });
  }

  async #follow(place: Place, stopped: AbortSignal): Promise<void> {
    await followChanges(this.#changes.open(place), {
      lease: this.#lease,
      keepPlace: (token) => this.#place.keep({ token }),
      stopped,
      limit: BATCH,
      handle: async (batch) => {
        const toCount = await this.#changes.toCount(batch);
        const isKept = await this.#count(toCount);
        this.#passed = toCount.progress.mark ?? this.#passed;
        if (isKept) await this.#gather(batch.length, stopped);
        return isKept;
      },
    });
  }

  /** Lets more changes come together; not while somebody waits for those that have. */
  async #gather(counted: number, stopped: AbortSignal): Promise<void> {
    const until = performance.now() + (counted < MANY ? GATHERED_MS : GATHERED_MANY_MS);
    while (performance.now() < until && !stopped.aborted) {
      if ((await newestMark(this.#db)) > this.#passed) return;
      await pause(LOOK_MS, stopped);
    }
  }

  /** Counts jobs anew; with the last of them the place is kept, in one transaction. False when the lease was lost. */
  async #count({ jobs, after, progress }: ToCount): Promise<boolean> {
    if (jobs.length === 0) return this.#place.keep(progress);
    for (let at = 0; at < jobs.length; at += JOBS_AT_ONCE) {
      const some = jobs.slice(at, at + JOBS_AT_ONCE);
      const isLast = at + JOBS_AT_ONCE >= jobs.length;
      const session = this.#session;
      const isKept = await inTransactionOf(session, after, async () => {
        // First of all, so that a process that has lost the place changes nothing.
        if (!(await this.#place.keep(isLast ? progress : { step: ++this.#step }, session))) return false;
        await applyFacts(this.#db, some, { session, rollups: true });
        return true;
      });
      if (!isKept) return false;
    }
    return true;
  }

  /** Counts everything anew, and goes on from where MongoDB's log was before. */
  async #rebuild(isFirst: boolean, stopped: AbortSignal): Promise<void> {
    const { from, at } = await presentPlace(this.#db);
    const report = new ProgressReport(this.#log, 0);
    const total = await rebuildTotal(this.#db);
    const told = { title: 'statistics', total };
    let [read, changed, renewed] = [0, 0, Date.now()];
    for await (const step of rebuildSteps(this.#db, { isFirst })) {
      read += step.read;
      changed += step.changed;
      report.say('statistics are counted anew', { ...told, read, changed });
      if (stopped.aborted) return;
      if (Date.now() - renewed < TERM_MS) continue;
      if (!(await this.#lease.take())) return;
      renewed = Date.now();
    }
    if (!(await this.#place.keep({ token: null, from, at }))) return;
    report.say('statistics have been counted anew', { ...told, read, changed }, true);
    await this.#follow({ from }, stopped);
  }
}
