import type { Db } from 'mongodb';
import { inPartsOfJobs, type ReadLimit, type ToldApart } from '../batching/read-limit.ts';
import { MarkSignals } from '../change-streams/mark-signals.ts';
import { Projection, type ProjectionLog } from '../change-streams/projection.ts';
import { presentPosition, type ResumePoint } from '../change-streams/resume-point.ts';
import { inTransactionOf, type RunTransaction } from '../change-streams/snapshot-transactions.ts';
import { TERM_MS, whileRenewing } from '../leases/work-under-lease.ts';
import { ProgressReport } from '../migrations/progress-report.ts';
import { applyFacts, JOBS_IN_TRANSACTION } from './apply-facts.ts';
import { type CountedChange, CountedChanges, STATISTICS, type ToCount } from './counted-changes.ts';
import { rebuildSteps, rebuildTotal, toldTo } from './rebuild.ts';

/**
 * Keeps statistics up to date with MongoDB's change stream, in one process across all gateways at a time, the lease holder. It
 * resumes where the previous holder stopped. Returns a function that stops it.
 */
export function startProjectingStatistics(db: Db, log: ProjectionLog): () => Promise<void> {
  return new StatisticsProjector(db, log).start();
}

class StatisticsProjector {
  readonly #db: Db;
  readonly #log: ProjectionLog;
  readonly #changes: CountedChanges;
  readonly #projection: Projection<CountedChange>;
  readonly #signals: MarkSignals;
  readonly #told: ToldApart;
  #step = 0;
  #savedAt = 0;

  constructor(db: Db, log: ProjectionLog) {
    this.#db = db;
    this.#log = log;
    this.#told = toldTo(log);
    this.#projection = new Projection(db, log, STATISTICS);
    this.#signals = new MarkSignals(db, STATISTICS.mark);
    this.#changes = new CountedChanges(db, this.#signals.process);
  }

  start(): () => Promise<void> {
    const { point } = this.#projection;
    return this.#projection.start({
      begin: async () => void (await point.save({ teller: point.holder })), // earlier versions do not record which months change
      apply: async (batch) => this.#apply(await this.#changes.toCount(batch)),
      rebuild: ({ at }, stopped) =>
        whileRenewing(this.#projection.lease, () => this.#rebuild(at === undefined, stopped)),
    });
  }

  async #apply(toCount: ToCount): Promise<boolean> {
    const { jobs, progress, marked, isAwaitedElsewhere } = toCount;
    const areMarksAlone = jobs.length === 0;
    if (areMarksAlone) {
      this.#signals.passed(progress, marked); // everything before them is already included
      // A write would be a change that the next reader has to wait for.
      if (!isAwaitedElsewhere && performance.now() - this.#savedAt < TERM_MS) return true;
    }
    if (!(await this.#count(toCount))) return false;
    this.#savedAt = performance.now();
    if (!areMarksAlone) this.#signals.passed(progress, marked);
    return true;
  }

  /**
   * Recounts jobs; a transaction with all of them also moves the resume point. A job that cannot be counted does not hold it up: its next
   * change, and a rebuild, try again. False when the lease was lost.
   */
  async #count({ jobs, after, progress }: ToCount): Promise<boolean> {
    const { point, session } = this.#projection;
    let isSaved = false;
    for (let at = 0; at < jobs.length; at += JOBS_IN_TRANSACTION) {
      const count = async (some: readonly string[], limit: ReadLimit) => {
        const areAll = some.length === jobs.length;
        const isKept = await inTransactionOf(session, after, async () => {
          // First, so that a process that has lost the resume point changes nothing.
          if (!(await point.save(areAll ? progress : { step: ++this.#step }, session))) return false;
          await applyFacts(this.#db, some, { session, rollups: true, limit });
          return true;
        });
        isSaved = areAll;
        return isKept;
      };
      const together = jobs.slice(at, at + JOBS_IN_TRANSACTION);
      for await (const isKept of inPartsOfJobs(together, count, this.#told)) if (!isKept) return false;
    }
    return isSaved || point.save(progress);
  }

  /** Runs work in a transaction of the process that maintains statistics; fails if it has lost the resume point. */
  readonly #owned: RunTransaction = (work) => {
    const { point, session } = this.#projection;
    return inTransactionOf(session, undefined, async () => {
      if (!(await point.save({ step: ++this.#step }, session))) throw new Error('Another process keeps statistics.');
      return work(session);
    });
  };

  /** Recounts everything; changes made meanwhile are counted again afterwards. */
  async #rebuild(isFirst: boolean, stopped: AbortSignal): Promise<ResumePoint | undefined> {
    const { point } = this.#projection;
    const { from, at } = await presentPosition(this.#db);
    const report = new ProgressReport(this.#log, 0);
    const total = await rebuildTotal(this.#db);
    const told = { title: 'statistics', total };
    let [read, changed] = [0, 0];
    for await (const step of rebuildSteps(this.#db, { isFirst, run: this.#owned, told: this.#told })) {
      read += step.read;
      changed += step.changed;
      report.say('statistics are being rebuilt', { ...told, read, changed });
      if (stopped.aborted) return undefined;
    }
    if (!(await point.save({ token: null, from, at }))) return undefined;
    report.say('statistics have been rebuilt', { ...told, read, changed }, true);
    return { from };
  }
}
