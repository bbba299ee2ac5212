import { hash } from 'node:crypto';
import type { VoyageKind } from '../../model/document-types/job.ts';
import type { Stored } from '../../model/entity/entity.ts';

/** The narrow documents of jobs that say what the figure audit found. */
export const AUDITS = 'job_audits';

/** A rule that does not hold of a document. */
export interface KeptFinding {
  readonly rule: string;
  readonly document: string;
}

/** A percentage of a job's reports, and whether it is unlike the history of its product. */
export interface KeptPercentage {
  readonly name: string;
  readonly value: number;
  readonly isUnusual: boolean;
}

/** What a job adds to the factors of its vessels, and what it is held against them with. */
export interface KeptVoyage {
  readonly kind: VoyageKind;
  /** A text that is the same as long as what it adds is; empty if it adds nothing. */
  readonly share: string;
  /** Ship to shore, as a decimal; undefined where the figures make no ratio. */
  readonly ratio?: string | undefined;
}

/** What is kept of the audit of a job: its findings, and what the audits of other jobs take from it. */
export interface JobAudit {
  readonly findings: readonly KeptFinding[];
  readonly product: string | undefined;
  readonly percentages: readonly KeptPercentage[];
  readonly specification: string | undefined;
  readonly vessels: readonly string[];
  readonly voyage: KeptVoyage | undefined;
  /** Whether ship and shore can be compared. */
  readonly isCompared: boolean;
}

/** The same as it is stored. */
export interface StoredAudit extends Pick<Stored, '_id' | 'readers' | 'created_at'> {
  readonly workspace: string;
  /** Ascends with each change. */
  readonly n: number;
  readonly findings: readonly KeptFinding[];
  /** The rebuild that audited the job for the first time, until its findings change otherwise. */
  readonly first?: string;
  /** What the last change added to them, and took away. */
  readonly appeared?: readonly KeptFinding[];
  readonly settled?: readonly KeptFinding[];
  readonly product?: string;
  readonly percentages?: readonly KeptPercentage[];
  readonly specification?: string;
  readonly vessels?: readonly string[];
  /** Audits of earlier versions have a hash of the share, and nothing where that is empty. */
  readonly voyage?: KeptVoyage | string;
  readonly compared?: true;
}

/** A job with its audit. */
export interface AuditOfJob {
  readonly id: string;
  readonly workspace: string;
  readonly readers: readonly string[];
  readonly createdAt: Date;
  /** What the document of the job itself says. */
  readonly marked: unknown;
  readonly audit: JobAudit;
}

/** The audit of a job as it is stored. */
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

/** Whether an audit does not tell the figures of its voyage, because an earlier version wrote it. */
export const isOfEarlierVersion = ({ voyage, compared }: { readonly voyage?: unknown; readonly compared?: true }) =>
  typeof voyage === 'string' || (compared === true && voyage === undefined);

/** An auditing of all jobs. */
export interface AuditOfAll {
  /** The same when another process goes on with it. */
  readonly name: string;
  /** When it began, by MongoDB's clock. */
  readonly since: Date;
}

/**
 * The audit with what became of the findings before it; what a rebuild finds that audits a job for the first time has not just
 * appeared, unless the job was made since it began.
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

/** Whether two audits say the same, as far as both tell it; `n` counts nothing. */
export function sameAudit(one: StoredAudit | undefined, other: StoredAudit | undefined): boolean {
  if (!one || !other) return one === other;
  const isRatioKnown = !isOfEarlierVersion(one) && !isOfEarlierVersion(other);
  return textOf(one) === textOf(other) && (!isRatioKnown || ratioOf(one) === ratioOf(other));
}

const ratioOf = ({ voyage }: StoredAudit): string =>
  typeof voyage === 'object' ? `${voyage.kind} ${voyage.ratio}` : '';

/** A hash of what a job adds to the factors of its vessels. */
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

/** By what other jobs a job is judged: by those of a product if it has percentages, of vessels if it is compared with them. */
export type JudgedByOthers = Pick<StoredAudit, '_id' | 'workspace' | 'product' | 'vessels' | 'compared'> & {
  readonly percentages?: readonly unknown[];
};

/** The verdicts on the voyages of a vessel. */
export const vesselDue = (workspace: string, vessel: string): string => `vessel ${workspace} ${vessel}`;

const productDue = (workspace: string, product: string): string => `product ${workspace} ${product}`;

/** The verdicts among which that on a job is. */
export function dueOf({ workspace, product, percentages, vessels = [], compared }: JudgedByOthers): string[] {
  return [
    ...(product !== undefined && percentages ? [productDue(workspace, product)] : []),
    ...(compared ? vessels.map((vessel) => vesselDue(workspace, vessel)) : []),
  ];
}

/** What audits of other jobs have to be looked at again when one became another. */
export function dueAfter(before: StoredAudit | undefined, now: StoredAudit | undefined): string[] {
  const due = new Set<string>();
  const history = (audit: StoredAudit | undefined) =>
    JSON.stringify([audit?.product, audit?.percentages?.map(({ name, value }) => [name, value])]);
  const voyage = (audit: StoredAudit | undefined) => JSON.stringify([audit?.vessels, audit && shareOf(audit)]);
  const [isHistory, isVoyage] = [history(before) !== history(now), voyage(before) !== voyage(now)];
  for (const { workspace, product, vessels = [] } of [before, now].filter((one) => one !== undefined)) {
    if (isHistory && product !== undefined) due.add(productDue(workspace, product));
    if (isVoyage) for (const vessel of vessels) due.add(vesselDue(workspace, vessel));
  }
  return [...due];
}
