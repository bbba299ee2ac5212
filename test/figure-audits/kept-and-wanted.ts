import { expect } from 'vitest';
import { Auditor } from '../../src/figure-audit-projection/auditor.ts';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import type { StoredDocument } from '../../src/model/entity/entity.ts';
import { type StoredAudit, sameAudit, storedAudit } from '../../src/store/figure-audits/kept-audit.ts';
import { settledStores } from '../../src/store/figure-audits/settled-stores.ts';
import type { TestService } from '../service.ts';

/** A kept audit, without what depends on when it was written. */
type Told = Omit<StoredAudit, 'n' | 'first' | 'appeared' | 'settled'> & { readonly isMarked: boolean | undefined };

const told = ({ n, first, appeared, settled, ...audit }: StoredAudit, isMarked: boolean | undefined): Told => ({
  ...audit,
  isMarked,
});
const byId = (some: readonly Told[]) => [...some].sort((a, b) => (a._id < b._id ? -1 : 1));

/** The audits kept and marked for all jobs, and the result of a full audit of them. */
export async function keptAndWanted({
  stores,
}: TestService): Promise<{ readonly found: readonly Told[]; readonly wanted: readonly Told[] }> {
  await stores.audits.freshness.passed();
  const jobs = await stores.db.collection<StoredDocument>('documents').find({ type: JOB_TYPE }).toArray();
  const { audits } = await new Auditor(settledStores(stores), expect.fail).audit(jobs.map(({ _id }) => _id));
  const wanted = audits.map((audit) => told(storedAudit(audit, 0), audit.audit.findings.length > 0));
  const marks = new Map(audits.map(({ id, marked }) => [id, marked === false]));
  const found = await stores.db.collection<StoredAudit>('job_audits').find({}).toArray();
  return { found: byId(found.map((audit) => told(audit, marks.get(audit._id)))), wanted: byId(wanted) };
}

/** The jobs whose kept audit or mark differs from a full audit; audits of earlier versions hold less. */
export async function misjudgedJobs(service: TestService): Promise<readonly string[]> {
  const { found, wanted } = await keptAndWanted(service);
  const kept = new Map(found.map((audit) => [audit._id, audit]));
  const isKept = (audit: Told) => {
    const one = kept.get(audit._id);
    return one?.isMarked === audit.isMarked && sameAudit(one && { ...one, n: 0 }, { ...audit, n: 0 });
  };
  const there = new Set(wanted.map(({ _id }) => _id));
  const gone = found.filter(({ _id }) => !there.has(_id));
  return [...gone, ...wanted.filter((audit) => !isKept(audit))].map(({ _id }) => _id);
}
