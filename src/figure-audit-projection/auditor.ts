import type { Viewer } from '../auth/viewer.ts';
import { Domain } from '../domain/domain.ts';
import { type AuditedJob, auditedWithoutReports } from '../domain/job-analysis/audited-job.ts';
import { AUDITED_REPORTS } from '../domain/job-analysis/facts-without-reports.ts';
import { Analyses, type SharedByAudits } from '../domain/job-analysis/job-analysis.ts';
import { Loaders } from '../domain/loaders/loaders.ts';
import { SYSTEM_CLOCK_AND_IDS } from '../domain/request/clock-and-ids.ts';
import { JOB_TYPE } from '../model/document-types/job.ts';
import type { Entity } from '../model/entity/entity.ts';
import { AuditedDocuments } from '../store/figure-audits/audited-documents.ts';
import type { AuditOfJob } from '../store/figure-audits/kept-audit.ts';
import type { RecordGroup } from '../store/figure-audits/kept-audits.ts';
import { inSmallerParts } from '../store/in-parts.ts';
import type { Stores } from '../store/stores.ts';

/** How many jobs have their reports in memory at once and, if nothing else is shared, those of their products and vessels. */
const READ_TOGETHER = 100;

/** How many measurements are held at once; each takes about 400 bytes during an audit. */
export const MOST_MEASUREMENTS = 500_000;

/** The audits, and the jobs that no longer exist. */
interface Audited {
  readonly audits: readonly AuditOfJob[];
  readonly gone: readonly string[];
}

/** Audits jobs as a reader of their workspace sees them; both parties see the same. */
export class Auditor {
  readonly #stores: Stores;
  readonly #documents: AuditedDocuments;
  /** Reports a job that cannot be audited. */
  readonly #refused: (job: string, error: unknown) => void;

  constructor(stores: Stores, refused: (job: string, error: unknown) => void) {
    this.#stores = stores;
    this.#documents = new AuditedDocuments(stores.db);
    this.#refused = refused;
  }

  /** If the jobs' bodies are too large together, or one of them cannot be audited, audits them in parts. */
  async audit(ids: readonly string[], shared: SharedByAudits = {}): Promise<Audited> {
    const audits: AuditOfJob[] = [];
    const gone: string[] = [];
    for await (const some of inSmallerParts(ids, (part) => this.#auditTogether(part, shared), this.#refused)) {
      audits.push(...some.audits);
      gone.push(...some.gone);
    }
    return { audits, gone };
  }

  async #auditTogether(ids: readonly string[], shared: SharedByAudits): Promise<Audited> {
    const found = await this.#stores.documents.byIds(ids);
    const jobs = found.filter((entity) => entity?.type === JOB_TYPE && entity.partition !== null) as Entity[];
    const there = new Set(jobs.map(({ id }) => id));
    const reported = await this.#documents.parentsAmong(jobs, AUDITED_REPORTS);
    // By far the most jobs, while many are created or audited for the first time.
    const audits = jobs.flatMap((job) => (reported.has(job.id) ? [] : auditOf(job, auditedWithoutReports(job))));
    const byTenant = Map.groupBy(
      jobs.filter(({ id }) => reported.has(id)),
      ({ readers }) => readers[0] ?? '',
    );
    for (const [tenant, some] of byTenant) {
      for (let at = 0; at < some.length; at += READ_TOGETHER) {
        audits.push(...(await this.#auditFor(tenant, some.slice(at, at + READ_TOGETHER), shared)));
      }
    }
    return { audits, gone: ids.filter((id) => !there.has(id)) };
  }

  /** The given records and all records of the same item by their synonyms: a group in the same order, whichever members are given. */
  async groupOf({ workspace, records }: RecordGroup): Promise<RecordGroup> {
    const groups = await this.groupsOf({ workspace, records });
    return { workspace, records: [...new Set(groups.map((group) => group.records))].flat() };
  }

  /** Such a group for each of the given records. */
  async groupsOf({ workspace, records }: RecordGroup): Promise<RecordGroup[]> {
    const [tenant = ''] = (await this.#stores.workspaces.byId(workspace))?.readers ?? [];
    const placed = records.map((id) => ({ id, workspaceId: workspace }));
    const groups = await this.#domainOf(tenant).synonyms.groupsOf(placed);
    return groups.map((group) => ({ workspace, records: group }));
  }

  /** Splits jobs that are too large to audit together, or of which one fails; a job that fails by itself is not audited. */
  async #auditFor(tenant: string, jobs: readonly Entity[], shared: SharedByAudits): Promise<AuditOfJob[]> {
    const audited = (some: readonly Entity[]): Promise<AuditOfJob[]> => {
      const analyses = new Analyses(new Loaders(this.#domainOf(tenant)), {
        ...shared,
        mostMeasurements: MOST_MEASUREMENTS,
      });
      return Promise.all(some.map(async (job) => auditOf(job, await analyses.auditedJob(job))));
    };
    const audits: AuditOfJob[] = [];
    const refused = ({ id }: Entity, error: unknown): void => this.#refused(id, error);
    for await (const some of inSmallerParts(jobs, audited, refused)) audits.push(...some);
    return audits;
  }

  #domainOf(tenant: string): Domain {
    return new Domain(readerOf(tenant), this.#stores, { sources: SYSTEM_CLOCK_AND_IDS });
  }
}

const auditOf = (job: Entity, audit: AuditedJob): AuditOfJob => ({
  ...{ id: job.id, workspace: job.partition ?? '', readers: job.readers, createdAt: job.createdAt },
  marked: job.stored('audit.passed'),
  audit,
});

const readerOf = (tenant: string): Viewer => ({
  id: tenant,
  tenant,
  name: 'the figure audit',
  scopes: new Set(['read'] as const),
});
