import { hash } from 'node:crypto';
import { MOST_VESSELS, type VoyageKind } from '../../model/document-types/job.ts';
import type { Stored } from '../../model/entity/entity.ts';

/** The collection of narrow documents, one per job, with the findings of the figure audit. */
export const AUDITS = 'job_audits';

/** A rule that a document breaks. */
export interface KeptFinding {
  readonly rule: string;
  readonly document: string;
}

/** A percentage in a job's reports, and whether it is unusual for its product. */
interface KeptPercentage {
  readonly name: string;
  readonly value: number;
  readonly isUnusual: boolean;
}

/** What a job contributes to the factors of its vessels, and the ratio that is compared with them. */
export interface KeptVoyage {
  readonly kind: VoyageKind;
  /** A text that changes only when the contribution does; empty if there is none. */
  readonly share: string;
  /** The ratio of ship to shore, as a decimal; undefined if the figures give none. */
  readonly ratio?: string | undefined;
}

/** The stored result of a job's audit: its findings, and what other jobs' audits use of it. */
interface JobAudit {
  readonly findings: readonly KeptFinding[];
  readonly product: string | undefined;
  readonly percentages: readonly KeptPercentage[];
  readonly specification: string | undefined;
  readonly vessels: readonly string[];
  readonly voyage: KeptVoyage | undefined;
  /** Whether ship and shore can be compared. */
  readonly isCompared: boolean;
}

/** A job's audit as stored. */
export interface StoredAudit extends Pick<Stored, '_id' | 'readers' | 'created_at'> {
  readonly workspace: string;
  /** Increases with each change. */
  readonly n: number;
  readonly findings: readonly KeptFinding[];
  /** The rebuild that first audited the job, until its findings change for another reason. */
  readonly first?: string;
  /** The findings that the last change added and removed. */
  readonly appeared?: readonly KeptFinding[];
  readonly settled?: readonly KeptFinding[];
  readonly product?: string;
  readonly percentages?: readonly KeptPercentage[];
  readonly specification?: string;
  readonly vessels?: readonly string[];
  /** Audits by earlier versions have a hash of the share, or nothing if it is empty. */
  readonly voyage?: KeptVoyage | string;
  readonly compared?: true;
}

/** A job with its audit. */
export interface AuditOfJob {
  readonly id: string;
  readonly workspace: string;
  readonly readers: readonly string[];
  readonly createdAt: Date;
  /** The mark on the job document itself. */
  readonly marked: unknown;
  readonly audit: JobAudit;
}

/** Converts a job's audit to its stored form. */
export function storedAudit({ id, workspace, readers, createdAt, audit }: AuditOfJob, n: number): StoredAudit {
  const { findings, product, percentages, specification, vessels, voyage, isCompared } = audit;
  return {
    ...{ _id: id, workspace, readers, created_at: createdAt, n, findings },
    ...(product !== undefined && { product }),
    ...(percentages.length > 0 && { percentages }),
    ...(specification !== undefined && { specification }),
    ...(vessels.length > 0 && { vessels }),
    ...(voyage && { voyage: writtenVoyage(voyage) }),
    ...(isCompared && { compared: true }),
  };
}

const writtenVoyage = ({ kind, share, ratio }: KeptVoyage): KeptVoyage => ({
  ...{ kind, share },
  ...(ratio !== undefined && { ratio }),
});

/** Whether an audit lacks the figures of its voyage because an earlier version wrote it. */
export const isOfEarlierVersion = ({ voyage, compared }: { readonly voyage?: unknown; readonly compared?: true }) =>
  typeof voyage === 'string' || (compared === true && voyage === undefined);

/** A run that audits all jobs. */
export interface AuditOfAll {
  /** Stays the same when another process resumes the run. */
  readonly name: string;
  /** When it began, by MongoDB's clock. */
  readonly since: Date;
}

/**
 * The audit with the changes from earlier findings. Findings from a rebuild's first audit of a job do not count as new, unless
 * the job was created after the rebuild began.
 */
export function withChanges(
  now: StoredAudit,
  before: StoredAudit | undefined,
  rebuild: AuditOfAll | undefined,
): StoredAudit {
  const isOlder = rebuild !== undefined && now.created_at <= rebuild.since;
  if (isOlder && (!before || before.first === rebuild.name)) return { ...now, first: rebuild.name };
  const keys = (audit: StoredAudit | undefined) => new Set(audit?.findings.map(keyOf));
  const [known, kept] = [keys(before), keys(now)];
  const distinct = (findings: readonly KeptFinding[]) => [
    ...new Map(findings.map((one) => [keyOf(one), one])).values(),
  ];
  const appeared = distinct(now.findings.filter((one) => !known.has(keyOf(one))));
  const settled = distinct(before?.findings.filter((one) => !kept.has(keyOf(one))) ?? []);
  return { ...now, ...(appeared.length > 0 && { appeared }), ...(settled.length > 0 && { settled }) };
}

const keyOf = ({ rule, document }: KeptFinding): string => `${rule} ${document}`;

/** Whether two audits are equal in all that both record; `n` is ignored. */
export function sameAudit(one: StoredAudit | undefined, other: StoredAudit | undefined): boolean {
  if (!one || !other) return one === other;
  const isRatioKnown = !isOfEarlierVersion(one) && !isOfEarlierVersion(other);
  return textOf(one) === textOf(other) && (!isRatioKnown || ratioOf(one) === ratioOf(other));
}

const ratioOf = ({ voyage }: StoredAudit): string =>
  typeof voyage === 'object' ? `${voyage.kind} ${voyage.ratio}` : '';

/** A hash of the job's contribution to the factors of its vessels. */
function shareOf({ voyage }: StoredAudit): string | undefined {
  if (typeof voyage === 'string') return voyage;
  return voyage?.share ? hash('sha256', voyage.share, 'base64url') : undefined;
}

function textOf(audit: StoredAudit): string {
  const { _id, workspace, readers, created_at, findings, product, percentages = [], specification } = audit;
  const { vessels, compared } = audit;
  const found = findings.map(({ rule, document }) => [rule, document]);
  const values = percentages.map(({ name, value, isUnusual }) => [name, value, isUnusual]);
  return JSON.stringify([
    ...[_id, workspace, readers, created_at.getTime(), found, product, values],
    ...[specification, vessels, shareOf(audit), compared],
  ]);
}

/** What decides which other jobs a job is judged by: those of its product if it has percentages, of its vessels if compared with them. */
export type JudgedByOthers = Pick<StoredAudit, '_id' | 'workspace' | 'product' | 'vessels' | 'compared'> & {
  readonly percentages?: readonly unknown[];
};

/** The key of the verdicts on a vessel's voyages. */
export const vesselDue = (workspace: string, vessel: string): string => `vessel ${workspace} ${vessel}`;

const productDue = (workspace: string, product: string): string => `product ${workspace} ${product}`;

/** The keys of the verdicts that include the one on a job. */
export function dueOf({ workspace, product, percentages, vessels = [], compared }: JudgedByOthers): string[] {
  return [
    ...(product !== undefined && percentages ? [productDue(workspace, product)] : []),
    ...(compared ? vessels.map((vessel) => vesselDue(workspace, vessel)) : []),
  ];
}

/** The keys of other jobs' verdicts that must be reviewed after a job's audit changed. */
export function dueAfter(before: StoredAudit | undefined, now: StoredAudit | undefined): string[] {
  const due = new Set<string>();
  const history = (audit: StoredAudit | undefined) =>
    JSON.stringify([audit?.product, audit?.percentages?.map(({ name, value }) => [name, value])]);
  const voyage = (audit: StoredAudit | undefined) => JSON.stringify([audit?.vessels, audit && shareOf(audit)]);
  const [isHistory, isVoyage] = [history(before) !== history(now), voyage(before) !== voyage(now)];
  for (const { workspace, product, vessels = [] } of [before, now].filter((one) => one !== undefined)) {
    if (isHistory && product !== undefined) due.add(productDue(workspace, product));
    if (isVoyage) for (const vessel of vessels.slice(0, MOST_VESSELS)) due.add(vesselDue(workspace, vessel));
  }
  return [...due];
}
