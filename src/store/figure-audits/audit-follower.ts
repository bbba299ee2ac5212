import type { Db, Timestamp } from 'mongodb';
import { MarkSignals } from '../change-streams/mark-signals.ts';
import { Projection, type ProjectionLog } from '../change-streams/projection.ts';
import { presentPosition, type ResumePoint } from '../change-streams/resume-point.ts';
import { whileRenewing } from '../leases/work-under-lease.ts';
import { ProgressReport } from '../migrations/progress-report.ts';
import { AuditWrites, type NewAudits, type NumberedAudit } from './audit-writes.ts';
import { type AuditedChange, AuditedChanges, FIGURE_AUDITS, type ToAudit } from './audited-changes.ts';
import type { AuditOfAll, StoredAudit } from './kept-audit.ts';
import { settled } from './settled-stores.ts';

const DONE = 'figure audits have been rebuilt';

/** Handles changes; each function returns false if the lease was lost or the work is stopped. */
interface AuditWork {
  /** Starts the work, perhaps where another process stopped, with what was still due then and the jobs that may not be marked yet. */
  begin(due: readonly string[], unmarked: readonly string[]): void;
  handle(asked: ToAudit & { readonly isUncertain: boolean }, stopped: AbortSignal): Promise<boolean>;
  rebuild(whole: Rebuild, stopped: AbortSignal): Promise<boolean>;
}

/** An audit of all jobs. */
export interface Rebuild extends AuditOfAll {
  /** The document after which to resume. */
  readonly after: string | undefined;
  /** Saves the progress; false when the lease was lost. */
  reached(id: string): Promise<boolean>;
}

/** Follows changes that audits depend on, and writes on behalf of the lease holder. */
export class AuditFollower {
  readonly #db: Db;
  readonly #log: ProjectionLog;
  readonly #work: AuditWork;
  readonly #changes: AuditedChanges;
  readonly #projection: Projection<AuditedChange>;
  readonly #writes: AuditWrites;
  readonly #signals: MarkSignals;
  /** Changes up to here may have been audited by a process that did not finish. */
  #uncertain: Timestamp | undefined;

  constructor(db: Db, log: ProjectionLog, work: AuditWork) {
    this.#db = db;
    this.#log = log;
    this.#work = work;
    this.#changes = new AuditedChanges(db);
    this.#projection = new Projection(db, log, FIGURE_AUDITS);
    this.#signals = new MarkSignals(db, FIGURE_AUDITS.mark);
    this.#writes = new AuditWrites(db, this.#projection.session, this.#projection.point);
  }

  start(): () => Promise<void> {
    return this.#projection.start({
      begin: async ({ due, untold }) => {
        this.#work.begin(due ?? [], untold ?? []);
        this.#uncertain = (await presentPosition(this.#db)).from;
      },
      apply: (batch, stopped) => this.#apply(batch, stopped),
      rebuild: (point, stopped) => this.#rebuild(point, stopped),
    });
  }

  savePoint(point: ResumePoint): Promise<boolean> {
    return this.#projection.point.save(point);
  }

  /** Writes audits and the resume point, in one transaction. */
  keep(before: ReadonlyMap<string, StoredAudit>, now: NewAudits, point: ResumePoint): Promise<boolean> {
    return this.#writes.keep(before, now, point);
  }

  mark(audits: readonly NumberedAudit[]): Promise<void> {
    return this.#writes.mark(audits);
  }

  /** Logs the progress of a rebuild from time to time. */
  async report(): Promise<(read: number, changed: number) => void> {
    const total = await this.#db.collection('documents').estimatedDocumentCount();
    const report = new ProgressReport(this.#log, 0);
    return (read, changed) =>
      report.say('figure audits are being rebuilt', { title: 'figure audits', total, read, changed });
  }

  async #apply(batch: readonly AuditedChange[], stopped: AbortSignal): Promise<boolean> {
    const asked = await this.#changes.toAudit(batch);
    if (asked.jobs.length + asked.records.length + asked.specifications.length > 0) {
      await settled(this.#db, this.#projection.session, asked.after);
    }
    if (asked.anew !== undefined) return this.#anew(asked, stopped);
    const isUncertain = this.#uncertain !== undefined && asked.from?.lessThanOrEqual(this.#uncertain) === true;
    if (!(await this.#work.handle({ ...asked, isUncertain }, stopped))) return false;
    this.#signals.passed(asked.progress);
    return true;
  }

  /** Audits all jobs again on request, which covers every change up to then. */
  async #anew({ anew, from, progress }: ToAudit, stopped: AbortSignal): Promise<boolean> {
    const since = new Date(secondsOf(from) * 1_000); // anything created earlier was already audited
    const whole = {
      name: `asked for ${anew}`,
      since,
      after: undefined,
      reached: () => this.savePoint({ due: [], untold: [] }),
    };
    const isDone = await this.#work.rebuild(whole, stopped);
    this.#uncertain = (await presentPosition(this.#db)).from;
    if (!isDone || !(await this.savePoint({ ...progress, due: [], untold: [] }))) return false;
    this.#log.info({}, DONE);
    return true;
  }

  /** Audits all jobs, or those that remain; changes made meanwhile are audited again afterwards. */
  async #rebuild(point: ResumePoint, stopped: AbortSignal): Promise<ResumePoint | undefined> {
    const begun = typeof point.rebuilt === 'string' && point.from ? point : undefined;
    const mark = begun ? undefined : await this.#changes.lastMark();
    const from = begun?.from ?? (await presentPosition(this.#db)).from;
    if (!begun && !(await this.savePoint({ token: null, from, rebuilt: '', due: [], untold: [] }))) return undefined;
    const reached = (rebuilt: string) => this.savePoint({ rebuilt, due: [], untold: [] });
    const since = new Date((secondsOf(from) + 1) * 1_000); // up to a second late: existing jobs may be as new as that
    const whole = { name: `from ${from}`, since, after: begun?.rebuilt || undefined, reached };
    const isDone = await whileRenewing(this.#projection.lease, () => this.#work.rebuild(whole, stopped));
    if (!isDone) return undefined;
    const now = await presentPosition(this.#db);
    this.#uncertain = now.from;
    const done = {
      token: null,
      from,
      at: now.at,
      rebuilt: null,
      due: [],
      untold: [],
      ...(mark !== undefined && { mark }),
    };
    if (!(await this.savePoint(done))) return undefined;
    this.#log.info({}, DONE);
    return { from };
  }
}

const secondsOf = (time: Timestamp | undefined): number => time?.getHighBits() ?? 0;
