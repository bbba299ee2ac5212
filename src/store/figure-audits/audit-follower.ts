import type { ClientSession, Db, Timestamp } from 'mongodb';
import { isHistoryLost } from '../events/change-batches.ts';
import type { ProjectorLog } from '../events/event-projector.ts';
import { followChanges } from '../events/followed-changes.ts';
import { Lease } from '../lease.ts';
import { ProgressReport } from '../migrations/progress-report.ts';
import { HeldPlace, type Place, presentPlace, takeOverPlace } from '../statistics/place.ts';
import { pause, startUnderLease, TERM_MS } from '../work-under-lease.ts';
import { AuditWrites, type NewAudits } from './audit-writes.ts';
import { AuditedChanges, type ToAudit } from './audited-changes.ts';
import type { AuditOfJob, StoredAudit } from './kept-audit.ts';
import { AUDIT_KEEPER } from './kept-audits.ts';
import { settled } from './settled-stores.ts';

/** What changes within this time is audited at once: a job and its results often come together. */
const GATHERED_MS = 50;
const BATCH = 500;

/** What is done with changes; each of its functions is false when the lease was lost or the work is stopped. */
export interface AuditWork {
  /** The work begins, perhaps where another process stopped: what was still due then. */
  begin(due: readonly string[]): void;
  handle(asked: ToAudit & { readonly isUncertain: boolean }, stopped: AbortSignal): Promise<boolean>;
  rebuild(whole: Rebuild, stopped: AbortSignal): Promise<boolean>;
}

/** The auditing of all jobs. */
export interface Rebuild {
  /** The document after which it goes on. */
  readonly after: string | undefined;
  /** Keeps how far it is; false when the lease was lost. */
  reached(id: string): Promise<boolean>;
}

/** Follows what audits depend on, under a lease, and writes for the process that has it. */
export class AuditFollower {
  readonly #db: Db;
  readonly #log: ProjectorLog;
  readonly #work: AuditWork;
  readonly #changes: AuditedChanges;
  readonly #lease: Lease;
  readonly #place: HeldPlace;
  readonly #session: ClientSession;
  readonly #writes: AuditWrites;
  /** Changes up to here may have been audited by a process that did not come to an end. */
  #uncertain: Timestamp | undefined;

  constructor(db: Db, log: ProjectorLog, work: AuditWork) {
    this.#db = db;
    this.#log = log;
    this.#work = work;
    this.#changes = new AuditedChanges(db);
    this.#lease = new Lease(db, AUDIT_KEEPER.lease);
    this.#place = new HeldPlace(db, AUDIT_KEEPER.place);
    this.#session = db.client.startSession({ causalConsistency: true });
    this.#writes = new AuditWrites(db, this.#session, this.#place);
  }

  start(): () => Promise<void> {
    const held = { lease: this.#lease, place: this.#place, session: this.#session };
    const end = startUnderLease({
      lease: this.#lease,
      work: async (progress, stopped) => this.#keep(await takeOverPlace(this.#db, progress, held), stopped),
      interrupted: (err) =>
        this.#log.warn({ err }, 'the keeping of figure audits was interrupted; it goes on where it stopped'),
    });
    return async () => {
      await end();
      this.#session.endSession().catch(() => undefined); // the client ends it otherwise
    };
  }

  keepPlace(place: Place): Promise<boolean> {
    return this.#place.keep(place);
  }

  /** Keeps audits with the place, in one transaction. */
  keep(before: ReadonlyMap<string, StoredAudit>, now: NewAudits, place: Place): Promise<boolean> {
    return this.#writes.keep(before, now, place);
  }

  mark(audits: readonly (AuditOfJob & { readonly n: number })[]): Promise<void> {
    return this.#writes.mark(audits);
  }

  /** Tells now and then how far a rebuild is. */
  async report(): Promise<(read: number, changed: number) => void> {
    const total = await this.#db.collection('documents').estimatedDocumentCount();
    const report = new ProgressReport(this.#log, 0);
    return (read, changed) =>
      report.say('figure audits are made anew', { title: 'figure audits', total, read, changed });
  }

  async #keep(place: Place, stopped: AbortSignal): Promise<void> {
    this.#log.info({}, 'this process keeps figure audits');
    await this.#changes.keepImages().catch((err: unknown) => {
      this.#log.warn({ err }, 'MongoDB does not keep images of what is deleted; tombstones stand in');
    });
    this.#work.begin(place.due ?? []);
    this.#uncertain = (await presentPlace(this.#db)).from;
    const isRebuilding = typeof place.rebuilt === 'string' && place.from !== undefined;
    if (isRebuilding) return this.#rebuild(place, stopped);
    if (!place.at || !(place.token || place.from)) return this.#rebuild(undefined, stopped);
    await this.#follow(place, stopped).catch((error) => {
      if (!isHistoryLost(error)) throw error;
      this.#log.warn({}, 'MongoDB’s log does not reach back to where figure audits were kept; they are made anew');
      return this.#rebuild(undefined, stopped);
    });
  }

  async #follow(place: Place, stopped: AbortSignal): Promise<void> {
    await followChanges(this.#changes.open(place), {
      lease: this.#lease,
      keepPlace: (token) => this.#place.keep({ token }),
      stopped,
      limit: BATCH,
      handle: async (batch) => {
        const asked = await this.#changes.toAudit(batch);
        if (asked.jobs.length + asked.records.length + asked.specifications.length > 0) {
          await settled(this.#db, this.#session, asked.after);
        }
        if (asked.isAnew) return this.#anew(asked, stopped);
        const isUncertain = this.#uncertain !== undefined && asked.after?.lessThanOrEqual(this.#uncertain) === true;
        const isKept = await this.#work.handle({ ...asked, isUncertain }, stopped);
        if (isKept && asked.progress.mark === undefined) await pause(GATHERED_MS, stopped);
        return isKept;
      },
    });
  }

  /** Somebody asked for all jobs to be audited anew, which what else had happened by then is part of. */
  async #anew({ progress }: ToAudit, stopped: AbortSignal): Promise<boolean> {
    const isDone = await this.#work.rebuild(
      { after: undefined, reached: () => this.#place.keep({ due: [] }) },
      stopped,
    );
    this.#uncertain = (await presentPlace(this.#db)).from;
    return isDone && this.#place.keep({ ...progress, due: [] });
  }

  /** Audits all jobs, and goes on from where MongoDB's log was before. */
  async #rebuild(begun: Place | undefined, stopped: AbortSignal): Promise<void> {
    const mark = begun ? undefined : await this.#changes.lastMark();
    const from = begun?.from ?? (await presentPlace(this.#db)).from;
    if (!begun && !(await this.#place.keep({ token: null, from, rebuilt: '', due: [] }))) return;
    const renewal = setInterval(() => void this.#lease.take().catch(() => undefined), TERM_MS);
    const reached = (rebuilt: string) => this.#place.keep({ rebuilt, due: [] });
    try {
      if (!(await this.#work.rebuild({ after: begun?.rebuilt || undefined, reached }, stopped))) return;
    } finally {
      clearInterval(renewal);
    }
    const now = await presentPlace(this.#db);
    this.#uncertain = now.from;
    const done = { token: null, from, at: now.at, rebuilt: null, due: [], ...(mark !== undefined && { mark }) };
    if (!(await this.#place.keep(done))) return;
    this.#log.info({}, 'figure audits have been made anew');
    await this.#follow({ from }, stopped);
  }
}
