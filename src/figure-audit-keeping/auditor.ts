import type { Viewer } from '../auth/viewer.ts';
import { Domain } from '../domain/domain.ts';
import { Analyses } from '../domain/job-analysis/job-analysis.ts';
import { Loaders } from '../domain/loaders.ts';
import { SYSTEM_CLOCK_AND_IDS } from '../domain/request/clock-and-ids.ts';
import { ServiceError } from '../errors.ts';
import { JOB_TYPE } from '../model/document-types/job.ts';
import type { Entity } from '../model/entity/entity.ts';
import type { AuditOfJob } from '../store/figure-audits/kept-audit.ts';
import type { RecordGroup } from '../store/figure-audits/kept-audits.ts';
import type { Stores } from '../store/stores.ts';

/** What was audited, and which jobs are no longer there. */
export interface Audited {
  readonly audits: readonly AuditOfJob[];
  readonly gone: readonly string[];
}

/** Audits jobs as a reader of their workspace sees them; both parties see the same. */
export class Auditor {
  readonly #stores: Stores;
  /** Tells of a job that cannot be audited. */
  readonly #refused: (job: string, error: unknown) => void;

  constructor(stores: Stores, refused: (job: string, error: unknown) => void) {
    this.#stores = stores;
    this.#refused = refused;
  }

  async audit(ids: readonly string[]): Promise<Audited> {
    const found = await this.#stores.documents.byIds(ids);
    const jobs = found.filter((entity) => entity?.type === JOB_TYPE && entity.partition !== null) as Entity[];
    const there = new Set(jobs.map(({ id }) => id));
    const byTenant = Map.groupBy(jobs, ({ readers }) => readers[0] ?? '');
    const audits: AuditOfJob[] = [];
    for (const [tenant, some] of byTenant) audits.push(...(await this.#auditFor(tenant, some)));
    return { audits, gone: ids.filter((id) => !there.has(id)) };
  }

  /** The records that are one item with those, by their synonyms. */
  async groupOf({ workspace, records }: RecordGroup): Promise<RecordGroup> {
    const [tenant = ''] = (await this.#stores.workspaces.byId(workspace))?.readers ?? [];
    const placed = records.map((id) => ({ id, workspaceId: workspace }));
    const groups = await this.#domainOf(tenant).synonyms.groupsOf(placed);
    return { workspace, records: [...new Set([...records, ...groups.flat()])] };
  }

  /** What is too large to be audited together is audited one by one; what is too large by itself, not at all. */
  async #auditFor(tenant: string, jobs: readonly Entity[]): Promise<AuditOfJob[]> {
    try {
      const analyses = new Analyses(new Loaders(this.#domainOf(tenant)));
      return await Promise.all(
        jobs.map(async (job) => ({
          ...{ id: job.id, workspace: job.partition ?? '', readers: job.readers, createdAt: job.createdAt },
          marked: job.stored('audit.passed'),
          audit: await analyses.auditedJob(job),
        })),
      );
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const [only] = jobs;
      if (jobs.length > 1) {
        const half = Math.ceil(jobs.length / 2);
        const parts = [jobs.slice(0, half), jobs.slice(half)];
        return (await Promise.all(parts.map((some) => this.#auditFor(tenant, some)))).flat();
      }
      if (only) this.#refused(only.id, error);
      return [];
    }
  }

  #domainOf(tenant: string): Domain {
    return new Domain(readerOf(tenant), this.#stores, { sources: SYSTEM_CLOCK_AND_IDS });
  }
}

const readerOf = (tenant: string): Viewer => ({
  id: tenant,
  tenant,
  name: 'the figure audit',
  scopes: new Set(['read'] as const),
});
