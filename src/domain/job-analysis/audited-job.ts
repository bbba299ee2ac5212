import type { VoyageKind } from '../../model/document-types/job.ts';
import type { Entity } from '../../model/entity/entity.ts';
import {
  AUDIT_DEFAULTS,
  type AuditFacts,
  PERCENTAGES,
  type Percentage,
  REPORTS_OF_HISTORY,
} from '../analysis/figure-audit/audit-facts.ts';
import type { FigureRule } from '../analysis/figure-audit/audit-rules.ts';
import { type AuditFinding, auditFigures } from '../analysis/figure-audit/figure-audit.ts';
import { unusualSide, usualBeside } from '../analysis/figure-audit/percentage-rules.ts';
import { type ExperienceReader, PRIMARY_METHOD, shareWithoutReports, vesselRecordsOf } from './experience.ts';
import { auditWithoutReports } from './facts-without-reports.ts';
import { type FigureAuditReader, shipShoreRatio } from './figure-audits.ts';

/** A percentage in a job's reports, and whether it differs from the history of its product. */
interface AuditedPercentage {
  readonly name: Percentage;
  readonly value: number;
  readonly isUnusual: boolean;
}

/** What a job contributes to the factors of its vessels, and the ratio compared with them. */
interface AuditedVoyage {
  readonly kind: VoyageKind;
  /** The contribution as a text that changes only with it, and can be parsed again; empty if there is none. */
  readonly share: string;
  /** Ship to shore ratio of the job alone; undefined if its figures give none. */
  readonly ratio: string | undefined;
}

/** The verdict on a job with the default thresholds, and what the verdicts on other jobs take from it. */
export interface AuditedJob {
  /** Which rules are broken, and by which documents. */
  readonly findings: readonly { readonly rule: FigureRule; readonly document: string }[];
  /** The product to whose history its percentages belong. */
  readonly product: string | undefined;
  readonly percentages: readonly AuditedPercentage[];
  readonly specification: string | undefined;
  /** The records of the vessels of a loading or discharge. */
  readonly vessels: readonly string[];
  /** Undefined if the job neither contributes to their factors nor is compared with them. */
  readonly voyage: AuditedVoyage | undefined;
  /** Whether ship and shore can be compared. */
  readonly isCompared: boolean;
}

/** Audits a job with the default thresholds. */
export async function auditedJob(
  job: Entity,
  audits: FigureAuditReader,
  experience: ExperienceReader,
): Promise<AuditedJob> {
  const { kind, vessels } = voyageOf(job);
  const movedByOne = async (of: VoyageKind) =>
    (await experience.vesselsOf(job)).length === 1 ? experience.moved(job, of, PRIMARY_METHOD.measurement) : undefined;
  const [facts, share, moved] = await Promise.all([
    audits.factsOf(job),
    kind && vessels.length > 0 ? experience.shareOf(job, kind) : '',
    kind && vessels.length > 0 ? movedByOne(kind) : undefined,
  ]);
  const isCompared = moved !== undefined && !('reason' in moved);
  const ratio = isCompared ? shipShoreRatio(moved)?.toString() : undefined;
  const voyage = kind && (share !== '' || isCompared) ? { kind, share, ratio } : undefined;
  const { findings } = auditFigures(facts, AUDIT_DEFAULTS);
  return { ...auditedFrom(job, findings), percentages: percentagesOf(facts), vessels, voyage, isCompared };
}

/** The same for a job with none of the reports that the audit reads: looks at nothing but the job itself. */
export function auditedWithoutReports(job: Entity): AuditedJob {
  const { kind, vessels } = voyageOf(job);
  const share = kind && vessels.length > 0 ? shareWithoutReports(job, kind) : '';
  return {
    ...auditedFrom(job, auditWithoutReports(job).findings),
    percentages: [],
    vessels,
    voyage: kind && share !== '' ? { kind, share, ratio: undefined } : undefined,
    isCompared: false,
  };
}

function voyageOf(job: Entity): { readonly kind: VoyageKind | undefined; readonly vessels: readonly string[] } {
  const activity = job.at('activity');
  const kind = activity === 'load' || activity === 'discharge' ? activity : undefined;
  return { kind, vessels: kind ? vesselRecordsOf(job).filter((id) => typeof id === 'string') : [] };
}

/** The findings, and what other jobs take from the job itself. */
function auditedFrom(
  job: Entity,
  findings: readonly AuditFinding<Entity>[],
): Pick<AuditedJob, 'findings' | 'product' | 'specification'> {
  return {
    findings: findings.map(({ rule, document }) => ({
      rule,
      document: document.id,
    })),
    product: textOf(job.at('cargo', 'product')),
    specification: textOf(job.at('specification')),
  };
}

function percentagesOf({ quantities, history }: AuditFacts<Entity>): AuditedPercentage[] {
  const compared = quantities.slice(0, REPORTS_OF_HISTORY);
  return PERCENTAGES.flatMap((name) => {
    return compared.flatMap((report) => {
      const value = report[name];
      if (!value) return [];
      const usual = usualBeside(value, history[name], history);
      const isUnusual = usual !== undefined && unusualSide(value, usual, AUDIT_DEFAULTS.historyRatio) !== undefined;
      return [{ name, value: value.toNumber(), isUnusual }];
    });
  });
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
