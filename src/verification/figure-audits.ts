import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, MongoClient } from 'mongodb';
import { nothingRead, type ReadOfOtherJobs } from '../domain/job-analysis/other-jobs.ts';
import { Auditor } from '../figure-audit-projection/auditor.ts';
import { PROGRAM } from '../model/command-line.ts';
import { ConnectionCounts } from '../store/connection/connection-counts.ts';
import { DatabaseClock } from '../store/connection/database-clock.ts';
import { DatabaseWatch } from '../store/connection/database-watch.ts';
import { isDocumentFault, isLimit } from '../store/document-faults.ts';
import { AuditedDocuments } from '../store/figure-audits/audited-documents.ts';
import {
  AUDITS,
  type AuditOfJob,
  type KeptFinding,
  type StoredAudit,
  sameAudit,
  storedAudit,
} from '../store/figure-audits/kept-audit.ts';
import { AUDIT_PROJECTION, KeptAudits } from '../store/figure-audits/kept-audits.ts';
import { settledStores } from '../store/figure-audits/settled-stores.ts';
import { Health } from '../store/health.ts';
import { storesOf } from '../store/stores.ts';
import type { Finding } from './finding.ts';

const REMEDY = `${PROGRAM} rebuild audits sets it right.`;
const UNAUDITED = 'cannot be audited, and keeps its last verdict: the log of the gateways says why.';
/** Jobs audited at once; this determines the memory use. */
const AT_ONCE = 25;
const READ_AT_ONCE = 1_000;
/** How long what was read of other jobs serves for further ones: what changes meanwhile makes differences, which are looked at again. */
const REMEMBERED_MS = 30_000;
/** For how many products, and kinds of voyages of vessels, at most 150 kB each. */
const MOST_REMEMBERED = 500;
/** How long to wait for audits that are due. */
const DUE_MS = 60_000;

/** The database, and the progress callback. */
interface AuditCheckOptions {
  readonly client: MongoClient;
  readonly db: Db;
  readonly progress?: ((collection: string, read: number, total: number) => void) | undefined;
  readonly againMs: number;
  readonly dueMs?: number | undefined;
  /** The maximum number of findings listed. */
  readonly most: number;
}

/** How many jobs were compared, the inconsistencies, and why any job was not compared. */
interface AuditCheck {
  readonly read: number;
  readonly findings: readonly Finding[];
  readonly omitted: number;
  readonly notes: readonly string[];
}

/**
 * Audits every job and compares the verdict with the stored one. An audit may merely be due: a difference is reported only
 * if it persists once the process that keeps audits has worked through everything written before.
 */
export async function checkAudits(options: AuditCheckOptions): Promise<AuditCheck> {
  const { client, db, progress, againMs, dueMs = DUE_MS, most } = options;
  const nothing = { read: 0, findings: [], omitted: 0 };
  if (!(await areKept(db))) {
    return { ...nothing, notes: ['No gateway keeps figure audits at present: they were not compared.'] };
  }
  const comparison = new Comparison(client, db);
  const total = await db.collection('documents').estimatedDocumentCount();
  const suspects: Finding[] = [];
  let [jobs, omitted] = [0, 0];
  for await (const { compared, read, found } of comparison.all()) {
    const listed = found.slice(0, most - suspects.length);
    suspects.push(...listed);
    omitted += found.length - listed.length;
    jobs += compared;
    progress?.(AUDITS, read, total);
  }
  if (suspects.length === 0) return { ...nothing, read: jobs, notes: [] };
  await sleep(againMs);
  const ids = [...new Set(suspects.map(({ id }) => id))];
  if (!(await comparison.isUpToDateWithin(dueMs))) {
    const notes = [`Figure audits are behind: those of ${ids.length} jobs are still due and were not compared.`];
    return { ...nothing, read: jobs, notes };
  }
  const known = new Set(suspects.map(textOf));
  const findings: Finding[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const again = await comparison.of(ids.slice(at, at + AT_ONCE));
    findings.push(...again.filter((finding) => known.has(textOf(finding))));
  }
  return { read: jobs, findings, omitted, notes: [] };
}

const textOf = ({ id, fault }: Finding): string => `${id} ${fault}`;

/** Whether a process keeps audits up to date and has audited all jobs once. */
async function areKept(db: Db): Promise<boolean> {
  const leases = db.collection<{ _id: string; until?: Date; at?: Date }>('leases');
  const names = [AUDIT_PROJECTION.lease, AUDIT_PROJECTION.resumePoint];
  const found = await leases.find({ _id: { $in: names } }).toArray();
  return found.some(({ at }) => at) && found.some(({ until }) => until && until.getTime() > Date.now());
}

/** The findings in a batch of jobs, and how many documents have been read. */
interface Portion {
  readonly compared: number;
  readonly read: number;
  readonly found: readonly Finding[];
}

class Comparison {
  readonly #auditor: Auditor;
  readonly #kept: KeptAudits;
  readonly #documents: AuditedDocuments;
  readonly #unaudited = new Set<string>();

  constructor(client: MongoClient, db: Db) {
    const watch = new DatabaseWatch(client);
    watch.close(); // a command waits for the database as long as it takes
    const health = new Health(() => client, db.databaseName);
    const connections = new ConnectionCounts(client);
    const connected = { client, watch, health, connections, clock: new DatabaseClock(client) };
    const stores = settledStores(storesOf(connected, { database: db.databaseName }));
    this.#auditor = new Auditor(stores, (job, error) => {
      // A job too large to be audited keeps its last verdict, whatever it is.
      if (!isLimit(error)) this.#unaudited.add(job);
    });
    this.#kept = new KeptAudits(db);
    this.#documents = new AuditedDocuments(db);
  }

  /** Compares all jobs, a batch at a time. */
  async *all(): AsyncGenerator<Portion> {
    let read = 0;
    const others = new RememberedOthers();
    for (let after: string | undefined; ; ) {
      const some = await this.#documents.jobsAfter(after, READ_AT_ONCE);
      if (!some) break;
      read += some.read;
      after = some.last;
      for (let at = 0; at < some.jobs.length; at += AT_ONCE) {
        const ids = some.jobs.slice(at, at + AT_ONCE);
        yield { compared: ids.length, read, found: await this.of(ids, others.now) };
      }
    }
    for (let after: string | undefined; ; ) {
      const ids = (await this.#kept.after(after, READ_AT_ONCE)).map(({ _id }) => _id);
      after = ids.at(-1);
      if (after === undefined) break;
      yield { compared: 0, read, found: await this.of(await this.#documents.missing(ids)) };
    }
  }

  /** The inconsistencies of these jobs; what was read of other jobs is not read again. */
  async of(ids: readonly string[], others?: ReadOfOtherJobs): Promise<Finding[]> {
    if (ids.length === 0) return [];
    this.#unaudited.clear();
    const { audits, gone } = await this.#auditor.audit(ids, { read: others });
    const unaudited = [...this.#unaudited];
    const kept = await this.#kept.byIds(ids);
    return [
      ...audits.flatMap((audit) => knownFaultsOf(audit, kept.get(audit.id)).map((fault) => [audit.id, fault] as const)),
      ...gone
        .filter((id) => kept.has(id))
        .map((id) => [id, `is the figure audit of a job that is not there: ${REMEDY}`] as const),
      ...unaudited.map((id) => [id, UNAUDITED] as const),
    ].map(([id, fault]) => ({ collection: AUDITS, id, fault }));
  }

  /** Whether the process that keeps audits has worked through everything written before. */
  isUpToDateWithin(longestMs: number): Promise<boolean> {
    return this.#kept.freshness.passedWithin(longestMs);
  }
}

/** What was read of other jobs, for a while. */
class RememberedOthers {
  #read = nothingRead();
  #since = performance.now();

  get now(): ReadOfOtherJobs {
    const isOld = performance.now() - this.#since > REMEMBERED_MS;
    if (isOld || this.#read.histories.size + this.#read.factors.size > MOST_REMEMBERED) {
      this.#read = nothingRead();
      this.#since = performance.now();
    }
    return this.#read;
  }
}

/** The faults, or that what is kept cannot even be read. */
function knownFaultsOf(audit: AuditOfJob, kept: StoredAudit | undefined): readonly string[] {
  try {
    return faultsOf(audit, kept);
  } catch (error) {
    if (!isDocumentFault(error)) throw error;
    return [`is kept in a form that no version writes: ${REMEDY}`];
  }
}

function faultsOf(audit: AuditOfJob, kept: StoredAudit | undefined): string[] {
  const wanted = storedAudit(audit, 0);
  const isPassed = wanted.findings.length === 0;
  const [said, computed] = [verdictOf(kept), verdictOf(wanted)];
  const fault =
    said === computed
      ? 'is kept with other percentages, vessels, product or specification than its documents have'
      : `is kept as ${said}, and its figures make it ${computed}`;
  const isListedRight = (audit.marked !== false) === isPassed;
  return [
    ...(sameAudit(wanted, kept) ? [] : [`${fault}: ${REMEDY}`]),
    ...(isListedRight
      ? []
      : [`is listed as ${isPassed ? 'failed' : 'passed'}, and its figures make it ${computed}: ${REMEDY}`]),
  ];
}

function verdictOf(audit: { readonly findings: readonly KeptFinding[] } | undefined): string {
  if (!audit) return 'never audited';
  const rules = [...new Set(audit.findings.map(({ rule, document }) => `${rule} of ${document}`))].sort();
  return rules.length === 0 ? 'passed' : `failed (${rules.join(', ')})`;
}
