import type { IndexDescription } from 'mongodb';
import { JOB_TYPE, VOYAGES } from '../../model/document-types/job.ts';
import { LOAD_PORT_INFORMATION_TYPE } from '../../model/document-types/load-port-information.ts';
import { QUALITY_RESULT_TYPE } from '../../model/document-types/quality-result.ts';
import { QUANTITY_RESULT_TYPE } from '../../model/document-types/quantity-result.ts';
import { TIMELOG_TYPE } from '../../model/document-types/timelog.ts';

/** The unique index of what a job may have only once, such as a quantity result of one direction. */
export const DOCUMENT_UNIQUE = 'document_unique';

/**
 * Fields that lists are sorted by. Each has a partial index of that type's documents only, so that others pay nothing for it;
 * the field that is only filtered on in the index comes last.
 */
const ORDERED: readonly (readonly [type: string, name: string, stored: string, looked?: string])[] = [
  [JOB_TYPE, 'job_eta_status', 'keys.eta', 'body.status'],
  [JOB_TYPE, 'job_etc', 'keys.etc'],
  [JOB_TYPE, 'job_ref_number', 'body.refNumber'],
  [JOB_TYPE, 'job_trip_number', 'body.tripNumber'],
  [JOB_TYPE, 'job_xref', 'body.xref'],
  [QUALITY_RESULT_TYPE, 'quality_date', 'keys.date'],
  [QUANTITY_RESULT_TYPE, 'quantity_date', 'keys.date'],
  [TIMELOG_TYPE, 'timelog_start', 'keys.start'],
  [TIMELOG_TYPE, 'timelog_end', 'keys.end'],
  [LOAD_PORT_INFORMATION_TYPE, 'bill_of_lading_date', 'keys.billOfLadingDate'],
];

/** The indexes of documents. `type` is in every key, even where an index covers only one type: a key scan then needs no document. */
export const DOCUMENT_INDEXES: readonly IndexDescription[] = [
  { key: { workspace: 1, type: 1, created_at: -1, _id: 1 }, name: 'workspace_newest' },
  { key: { readers: 1, type: 1, created_at: -1, _id: 1 }, name: 'readable_newest' },
  { key: { workspace: 1, parent_id: 1, type: 1, created_at: -1, _id: 1 }, name: 'children' },
  { key: { workspace: 1, refs: 1, type: 1, created_at: -1, _id: 1 }, name: 'references_newest' },
  {
    key: { workspace: 1, type: 1, unique_for: 1 },
    name: DOCUMENT_UNIQUE,
    unique: true,
    partialFilterExpression: { unique_for: { $exists: true } },
  },
  // The activity comes last: it is filtered on in the index, and the order holds without it.
  {
    key: { workspace: 1, type: 1, 'body.status': 1, created_at: -1, _id: 1, 'body.activity': 1 },
    name: 'status_activity',
  },
  { key: { workspace: 1, type: 1, modified_at: -1, _id: 1 }, name: 'modified' },
  ...['isOffSpec', 'isRetestNeeded'].map((flag) => ({
    key: { workspace: 1, type: 1, [`body.${flag}`]: 1, created_at: -1, _id: 1 } as const,
    name: flag,
    partialFilterExpression: { [`body.${flag}`]: true },
  })),
  // Results that did not pass: if `isOffSpec` is absent, they are off specification.
  {
    key: { workspace: 1, type: 1, 'body.isPassed': 1, 'body.isOffSpec': 1, created_at: -1, _id: 1 },
    name: 'isPassed',
    partialFilterExpression: { 'body.isPassed': false },
  },
  // Only jobs with a finding.
  ...(['workspace', 'readers'] as const).map((place) => ({
    key: { [place]: 1, type: 1, 'audit.passed': 1, created_at: -1, _id: 1 } as const,
    name: `${place}_audit`,
    partialFilterExpression: { 'audit.passed': false },
  })),
  ...ORDERED.map(([type, name, stored, looked]) => ({
    key: { workspace: 1, type: 1, [stored]: 1, _id: 1, ...(looked && { [looked]: 1 }) } as const,
    name,
    partialFilterExpression: { type },
  })),
  // Only unfinished jobs: few, however many a workspace has had.
  {
    key: { workspace: 1, type: 1, 'body.status': 1, 'keys.etc': 1, _id: 1 },
    name: 'open_job_etc',
    partialFilterExpression: { type: JOB_TYPE, 'body.status': { $in: ['pending', 'active'] } },
  },
  {
    key: { workspace: 1, type: 1, 'body.specification': 1, 'keys.eta': 1, _id: 1 },
    name: 'job_specification',
    partialFilterExpression: { 'body.specification': { $exists: true } },
  },
  // The trip comes last: it is filtered on in the index.
  {
    key: {
      ...({ workspace: 1, type: 1, 'body.transports': 1, 'body.activity': 1, 'body.status': 1 } as const),
      ...({ created_at: -1, _id: 1, 'body.tripNumber': 1 } as const),
    },
    name: 'voyages',
    partialFilterExpression: { 'body.activity': { $in: VOYAGES } },
  },
  // No sort order: few documents contain a rare text, and those with a frequent one are soon found in any order.
  { key: { workspace: 1, parts: 1 }, name: 'job_parts', partialFilterExpression: { type: JOB_TYPE } },
];

/** The earlier versions' counterparts of `status_activity`, `job_ref_number`, `job_xref` and `job_eta_status`. */
export const RETIRED_DOCUMENT_INDEXES: readonly string[] = ['status', 'ref_number', 'xref', 'job_eta'];
