import type { ProjectionLog } from '../store/change-streams/projection.ts';
import { isDocumentFault } from '../store/document-faults.ts';
import { AuditFollower, type Rebuild } from '../store/figure-audits/audit-follower.ts';
import { isMarkedWrong } from '../store/figure-audits/audit-writes.ts';
import type { ToAudit } from '../store/figure-audits/audited-changes.ts';
import { AuditedDocuments } from '../store/figure-audits/audited-documents.ts';
import {
  type AuditOfAll,
  dueAfter,
  dueOf,
  isOfEarlierVersion,
  type StoredAudit,
  sameAudit,
  storedAudit,
  withChanges,
} from '../store/figure-audits/kept-audit.ts';
import type { KeptAudits, RecordGroup } from '../store/figure-audits/kept-audits.ts';
import { settledStores } from '../store/figure-audits/settled-stores.ts';
import { inSmallerParts } from '../store/in-parts.ts';
import type { Stores } from '../store/stores.ts';
import { Auditor } from './auditor.ts';
import { DueAudits } from './due-audits.ts';
import { KeptFigures } from './kept-figures.ts';
import { KeptOthers } from './kept-others.ts';
import { RecordGroups } from './record-groups.ts';

/** The smallest batch of jobs audited at once: other requests to this process wait for no more than that. */
const FEWEST_AT_ONCE = 25;
/** A batch is as large as takes about this long: jobs without reports take little time, and share reads and writes. */
const AT_ONCE_MS = 250;
const MOST_AT_ONCE = 500;
/** How many documents are searched for jobs at once when all jobs are audited. */
const READ_AT_ONCE = 1_000;
/** Stored in place of more than `MOST_DUE`: the list is part of one document. */
const ALL_DUE = 'all';
const MOST_DUE = 10_000;
/** Of more, those that nothing follows from are found together. */
const FEW_DUE = 25;

interface Circumstances {
  /** What stays due until all of the jobs are audited. */
  readonly because?: readonly string[] | undefined;
  /** What earlier audits have read. */
  readonly others?: KeptOthers;
}

/**
 * Keeps the verdicts of the figure audit up to date by MongoDB's change stream, in one process of all gateways at a time: the
 * holder of the lease. Continues where the previous holder stopped. Returns a function that ends it.
 */
export function startProjectingAudits(stores: Stores, log: ProjectionLog): () => Promise<void> {
  const projector = new AuditProjector(stores, log);
  return projector.follower.start();
}

class AuditProjector {
  readonly follower: AuditFollower;
  readonly #kept: KeptAudits;
  readonly #documents: AuditedDocuments;
  readonly #auditor: Auditor;
  readonly #groups: RecordGroups;
  readonly #figures: KeptFigures;
  readonly #dues: DueAudits;
  readonly #log: ProjectionLog;
  readonly #now: () => Date;
  #due = new Set<string>();
  /** Jobs on which the previous process may not have marked the kept verdict. */
  #unmarked: readonly string[] = [];
  #changed = 0;
  #atOnce = FEWEST_AT_ONCE;
  /** The rebuild in progress. */
  #rebuild: AuditOfAll | undefined;

  constructor(stores: Stores, log: ProjectionLog) {
    this.#kept = stores.audits;
    this.#log = log;
    this.#now = () => stores.clock.now();
    this.#documents = new AuditedDocuments(stores.db);
    this.#auditor = new Auditor(settledStores(stores), (job, err) => this.#refused(job, err));
    this.#groups = new RecordGroups(this.#auditor);
    this.#figures = new KeptFigures(this.#kept, this.#documents);
    this.#dues = new DueAudits(this.#kept, this.#figures, this.#groups);
    this.follower = new AuditFollower(stores.db, log, {
      begin: (due, unmarked) => {
        this.#rebuild = undefined;
        this.#due = new Set(due);
        this.#unmarked = unmarked;
        this.#dues.forget();
      },
      handle: (asked, stopped) => this.#handle(asked, stopped),
      rebuild: (whole, stopped) => this.#auditWhole(whole, stopped),
    });
  }

  #refused(job: string, err: unknown): void {
    this.#dues.forget(); // retried with the next change of its product or vessel
    this.#log.warn({ job, err }, 'a job cannot be audited; its last verdict is kept');
  }

  /** Audits the jobs affected by a batch of changes; false if the lease was lost or the work is stopped. */
  async #handle(asked: ToAudit & { readonly isUncertain: boolean }, stopped: AbortSignal): Promise<boolean> {
    if (!asked.areLinksSame) this.#dues.forget();
    if (!(await this.#markOthers(stopped))) return false;
    const jobs = new Set(asked.jobs);
    for (const [workspace, some] of Map.groupBy(asked.records, (group) => group.workspace)) {
      const records = some.flatMap((group) => group.records);
      for (const id of await this.#referringTo({ workspace, records })) jobs.add(id);
    }
    for (const group of asked.specifications) for (const id of await this.#kept.naming(group)) jobs.add(id);
    if (!(await this.#auditAll([...jobs], stopped))) return false;
    if (asked.isUncertain) await this.#takeAllAsChanged([...jobs]);
    if (!(await this.#auditDue(stopped))) return false;
    return this.follower.savePoint({ ...asked.progress, due: [], untold: [] });
  }

  async #markOthers(stopped: AbortSignal): Promise<boolean> {
    if (!(await this.#auditAll(this.#unmarked, stopped))) return false;
    this.#unmarked = [];
    return true;
  }

  /** The previous holder may have kept an audit without checking the jobs that depend on it. */
  async #takeAllAsChanged(jobs: readonly string[]): Promise<void> {
    for (const audit of (await this.#kept.byIds(jobs)).values()) {
      for (const due of dueAfter(undefined, audit)) this.#due.add(due);
    }
  }

  /** The jobs that refer to the given records, or to records of the same item. */
  async #referringTo(group: RecordGroup): Promise<string[]> {
    const whole = await this.#auditor.groupOf(group);
    const { jobs, specifications } = await this.#documents.referringTo(whole);
    const named =
      specifications.length > 0 ? await this.#kept.naming({ workspace: group.workspace, records: specifications }) : [];
    return [...jobs, ...named];
  }

  /** Audits what depends on changed jobs until nothing changes any more; records of one item are handled together. */
  async #auditDue(stopped: AbortSignal): Promise<boolean> {
    if (this.#due.has(ALL_DUE)) {
      if (!(await this.#takeAllAsDue(stopped))) return false;
      this.#due.delete(ALL_DUE);
    }
    const all = this.#due.size > FEW_DUE ? [...this.#due] : [];
    for (let at = 0; at < all.length; at += MOST_AT_ONCE) {
      for (const idle of await this.#dues.idleAmong(all.slice(at, at + MOST_AT_ONCE))) this.#due.delete(idle);
    }
    for (const due of this.#due) {
      const because = (await this.#dues.judgedWith(due)).filter((one) => this.#due.delete(one));
      if (!(await this.#auditAll(await this.#jobsOf(due), stopped, { because }))) return false;
    }
    return true;
  }

  async #jobsOf(due: string): Promise<readonly string[]> {
    try {
      return await this.#dues.jobsOf(due);
    } catch (err) {
      if (!isDocumentFault(err)) throw err;
      this.#log.warn({ due, err }, 'the jobs of a product or vessel cannot be audited; their last verdicts are kept');
      return [];
    }
  }

  /** Makes the verdicts on all products and vessels due, and forgets jobs that are gone. */
  async #takeAllAsDue(stopped: AbortSignal): Promise<boolean> {
    for (let id: string | undefined; ; ) {
      const some = await this.#kept.after(id, READ_AT_ONCE);
      id = some.at(-1)?._id;
      if (id === undefined) return true;
      const gone = await this.#documents.missing(some.map(({ _id }) => _id));
      if (!(await this.#auditAll(gone, stopped))) return false;
      for (const audit of some) for (const due of dueOf(audit)) this.#due.add(due);
    }
  }

  /** Anything that changes meanwhile comes in a later batch, which makes due whatever was judged by the outdated history. */
  async #auditAll(
    ids: readonly string[],
    stopped: AbortSignal,
    { because, others = new KeptOthers(this.#figures, this.#groups) }: Circumstances = {},
  ): Promise<boolean> {
    for (let at = 0, some: readonly string[]; at < ids.length; at += some.length) {
      some = ids.slice(at, at + this.#atOnce);
      const begun = performance.now();
      if (stopped.aborted || !(await this.#auditApart(some, { because, others }))) return false;
      const fitting = Math.floor((some.length * AT_ONCE_MS) / (performance.now() - begun));
      const most = Math.min(MOST_AT_ONCE, this.#atOnce * 2);
      this.#atOnce = Math.min(Math.max(fitting, FEWEST_AT_ONCE), most);
    }
    return true;
  }

  /** Audits jobs that are too large together, or of which one cannot be audited, in parts; a job that fails by itself keeps its last verdict. */
  async #auditApart(ids: readonly string[], circumstances: Circumstances): Promise<boolean> {
    const refused = (id: string, error: unknown): void => this.#refused(id, error);
    const parts = inSmallerParts(ids, (some) => this.#audit(some, circumstances), refused);
    for await (const isKept of parts) if (!isKept) return false;
    return true;
  }

  async #audit(ids: readonly string[], { because, others }: Circumstances): Promise<boolean> {
    const { audits, gone } = await this.#auditor.audit(ids, { others });
    const before = await this.#kept.byIds(ids);
    const changed = new Map<string, StoredAudit | undefined>();
    for (const id of gone) if (before.has(id)) changed.set(id, undefined);
    const numbered = audits.map((audit) => {
      const kept = before.get(audit.id);
      const next = storedAudit(audit, Math.max(this.#now().getTime(), (kept?.n ?? 0) + 1));
      const isSame = kept !== undefined && sameAudit(kept, next) && !isOfEarlierVersion(kept);
      if (!isSame) changed.set(audit.id, withChanges(next, kept, this.#rebuild));
      return { ...audit, n: isSame ? kept.n : next.n };
    });
    for (const [id, audit] of changed) this.#addDue(before.get(id), audit);
    if (because === undefined && this.#rebuild === undefined) {
      const same = before.values().filter(({ _id }) => !changed.has(_id));
      for (const audit of same) for (const due of this.#dues.movedOn(audit)) this.#due.add(due);
    }
    // Whoever continues a rebuild checks all products and vessels.
    const all = this.#rebuild ? [] : [...this.#due, ...(because ?? [])];
    const due = all.length > MOST_DUE || this.#due.has(ALL_DUE) ? [ALL_DUE] : all;
    const untold = [...this.#unmarked, ...numbered.filter(isMarkedWrong).map(({ id }) => id)];
    if (changed.size > 0 && !(await this.follower.keep(before, changed, { due, untold }))) return false;
    this.#changed += changed.size;
    await this.follower.mark(numbered);
    return true;
  }

  #addDue(before: StoredAudit | undefined, now: StoredAudit | undefined): void {
    for (const due of dueAfter(before, now)) {
      if (before || !now || !this.#dues.isNothingTo(due, now)) this.#due.add(due);
    }
  }

  /**
   * Audits all jobs, then those whose verdict no longer follows from the others, and forgets jobs that are gone; false if the
   * lease was lost or the work is stopped.
   */
  async #auditWhole({ name, since, after, reached }: Rebuild, stopped: AbortSignal): Promise<boolean> {
    const report = await this.follower.report();
    this.#changed = 0;
    this.#rebuild = { name, since };
    this.#dues.forget();
    const forgotten = await this.#kept.forgetMalformed();
    if (forgotten > 0) this.#log.warn({ jobs: forgotten }, 'figure audits that cannot be read are made anew');
    if (!(await this.#markOthers(stopped))) return false;
    let [read, last] = [0, after];
    const others = new KeptOthers(this.#figures, this.#groups);
    for (;;) {
      const some = await this.#documents.jobsAfter(last, READ_AT_ONCE);
      this.#due.clear(); // all others are checked at the end
      if (!some) break;
      if (!(await this.#auditAll(some.jobs, stopped, { others }))) return false;
      last = some.last;
      read += some.read;
      report(read, this.#changed);
      if (!(await reached(last))) return false;
    }
    if (!(await this.#takeAllAsDue(stopped))) return false;
    if (!(await this.#auditDue(stopped))) return false;
    this.#rebuild = undefined;
    return true;
  }
}
