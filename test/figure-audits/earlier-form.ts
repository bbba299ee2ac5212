import { hash } from 'node:crypto';
import type { Db } from 'mongodb';
import { gradeOfShare } from '../../src/domain/job-analysis/voyage-shares.ts';
import type { StoredAudit } from '../../src/store/figure-audits/kept-audit.ts';

type Earlier = StoredAudit & { readonly trip?: string };

const hashed = (text: string): string => hash('sha256', text, 'base64url');

/** An audit as written by gateways that kept a hash of a voyage, and no figures. */
export function earlierForm({ voyage, ...rest }: StoredAudit): Earlier {
  if (typeof voyage === 'string') return { ...rest, voyage };
  if (!voyage?.share) return rest;
  const { trip } = gradeOfShare(rest._id, voyage.share);
  return { ...rest, voyage: hashed(voyage.share), trip: trip === undefined ? '' : hashed(trip) };
}

/** Rewrites the kept audits of these jobs as such a gateway would have written them. */
export async function putEarlierForm(db: Db, jobs: readonly string[]): Promise<void> {
  const audits = db.collection<StoredAudit>('job_audits');
  for (const audit of await audits.find({ _id: { $in: [...jobs] } }).toArray()) {
    await audits.replaceOne({ _id: audit._id }, earlierForm(audit));
  }
}
