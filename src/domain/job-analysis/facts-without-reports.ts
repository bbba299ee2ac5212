import { QUALITY_RESULT_TYPE } from '../../model/document-types/quality-result.ts';
import { QUANTITY_RESULT_TYPE } from '../../model/document-types/quantity-result.ts';
import { TIMELOG_TYPE } from '../../model/document-types/timelog.ts';
import type { Entity, StoredDocument } from '../../model/entity/entity.ts';
import { AUDIT_DEFAULTS, type AuditFacts, type ProductHistory } from '../analysis/figure-audit/audit-facts.ts';
import type { FigureRule } from '../analysis/figure-audit/audit-rules.ts';
import { auditFigures, type FigureAudit } from '../analysis/figure-audit/figure-audit.ts';

/** A job without percentages is compared with no history, which is by far the most that an audit reads. */
export const NO_HISTORY: ProductHistory = { hasOwn: false, waterPerc: [], sedimentPerc: [], sedimentWaterPerc: [] };

const KINDS = { quality: 'quality result', quantity: 'quantity result', timelog: 'time log' } as const;

/** What the audit checks in a job itself. */
export const factsOfJob = (job: Entity, isThere: Readonly<Record<keyof typeof KINDS, boolean>>) => ({
  job,
  isComplete: job.at('status') === 'complete',
  requested: Object.entries(KINDS)
    .filter(([name]) => job.at('requested', name) === true)
    .map(([name, kind]) => ({ kind, isThere: isThere[name as keyof typeof KINDS] })),
});

/** The types of documents below a job that the audit reads; without any, it looks only at the job itself. */
export const AUDITED_REPORTS: readonly string[] = [QUALITY_RESULT_TYPE, QUANTITY_RESULT_TYPE, TIMELOG_TYPE];

/** The rules that apply to a job without any of those reports; the others have nothing to check then. */
const RULES_WITHOUT_REPORTS: readonly FigureRule[] = ['REQUESTED_RESULT_MISSING'];

/** The audit of a job with none of those reports, with the default thresholds. */
export function auditWithoutReports(job: Entity): Pick<FigureAudit<Entity>, 'passed' | 'findings'> {
  const facts: AuditFacts<Entity> = {
    ...factsOfJob(job, { quality: false, quantity: false, timelog: false }),
    ...{ quantities: [], qualities: [], history: NO_HISTORY, shipShore: undefined },
  };
  return auditFigures(facts, AUDIT_DEFAULTS, RULES_WITHOUT_REPORTS);
}

/**
 * The mark by which lists find a job with a finding, if it has one from the start: a job that is complete but lacks requested
 * results. Marking it later would write it a second time.
 */
export function markOfNewJob(job: Entity): StoredDocument['audit'] {
  if (job.at('status') !== 'complete') return undefined;
  return auditWithoutReports(job).passed ? undefined : { passed: false, n: 0 };
}
