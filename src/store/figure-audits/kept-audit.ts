import { hash } from 'node:crypto';
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

/** What is kept of the audit of a job: its findings, and what the audits of other jobs take from it. */
export interface JobAudit {
  readonly findings: readonly KeptFinding[];
  readonly product: string | undefined;
  readonly percentages: readonly KeptPercentage[];
  readonly specification: string | undefined;
  readonly vessels: readonly string[];
  /** What it adds to the factors of its vessels: a text that is the same as long as that is. */
  readonly voyage: string;
  /** The trip of that voyage; undefined for a job that stands alone. */
  readonly trip: string | undefined;
  /** Whether ship and shore can be compared. */
  readonly isCompared: boolean;
}

/** The same as it is stored. */
export interface StoredAudit extends Pick<Stored, '_id' | 'readers' | 'created_at'> {
  readonly workspace: string;
  /** Ascends with each change. */
  readonly n: number;
  readonly findings: readonly KeptFinding[];
  /** What the last change added to them, and took away. */
  readonly appeared?: readonly KeptFinding[];
  readonly settled?: readonly KeptFinding[];
  readonly product?: string;
  readonly percentages?: readonly KeptPercentage[];
  readonly specification?: string;
  readonly vessels?: readonly string[];
  /** A hash of what it adds to factors. */
  readonly voyage?: string;
  /** A hash of its trip, empty without one; audits of earlier versions do not have it. */
  readonly trip?: string;
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
  const { findings, product, percentages, specification, vessels, voyage, trip, isCompared } = audit;
  return {
    ...{ _id: id, workspace, readers, created_at: createdAt, n, findings },
    ...(product !== undefined && { product }),
    ...(percentages.length > 0 && { percentages }),
    ...(specification !== undefined && { specification }),
    ...(vessels.length > 0 && { vessels }),
    ...(voyage !== '' && { voyage: hashed(voyage), trip: trip === undefined ? '' : hashed(trip) }),
    ...(isCompared && { compared: true }),
  };
}

const hashed = (text: string): string => hash('sha256', text, 'base64url');

/** The audit with what became of the findings before it; what a first audit of an old job finds has not just appeared. */
export function withChanges(now: StoredAudit, before: StoredAudit | undefined, isNew: boolean): StoredAudit {
  if (!before && !isNew) return now;
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

/** Whether two audits say the same; `n` counts nothing. */
export const sameAudit = (one: StoredAudit | undefined, other: StoredAudit | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && textOf(one) === textOf(other));

function textOf(audit: StoredAudit): string {
  const { _id, workspace, readers, created_at, findings, product, percentages = [], specification } = audit;
  const { vessels, voyage, compared } = audit;
  const found = findings.map(({ rule, document }) => [rule, document]);
  const values = percentages.map(({ name, value, isUnusual }) => [name, value, isUnusual]);
  return JSON.stringify([
    ...[_id, workspace, readers, created_at.getTime(), found, product, values],
    ...[specification, vessels, voyage, compared],
  ]);
}

/** What audits of other jobs have to be looked at again when one became another. */
export function dueAfter(before: StoredAudit | undefined, now: StoredAudit | undefined): string[] {
  const due = new Set<string>();
  const history = (audit: StoredAudit | undefined) =>
    JSON.stringify([audit?.product, audit?.percentages?.map(({ name, value }) => [name, value])]);
  const voyage = (audit: StoredAudit | undefined) => JSON.stringify([audit?.vessels, audit?.voyage]);
  const [isHistory, isVoyage] = [history(before) !== history(now), voyage(before) !== voyage(now)];
  for (const { workspace, product, vessels = [] } of [before, now].filter((one) => one !== undefined)) {
    if (isHistory && product !== undefined) due.add(`product ${workspace} ${product}`);
    if (isVoyage) for (const vessel of vessels) due.add(`vessel ${workspace} ${vessel}`);
  }
  return [...due];
}
