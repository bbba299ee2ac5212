import type { Db, Timestamp } from 'mongodb';
import { JOB_TYPE } from '../../model/document-types/job.ts';
import { SPECIFICATION_TYPE } from '../../model/document-types/specification.ts';
import type { ProjectionNames } from '../change-streams/freshness.ts';
import type { ProjectionSource } from '../change-streams/projection.ts';
import { type ResumePoint, resumePointAfter } from '../change-streams/resume-point.ts';
import type { Watch, WatchedChange } from '../change-streams/watch.ts';
import { AUDIT_PROJECTION, type RecordGroup } from './kept-audits.ts';

/** A change that affects audits: to a document, to a record or its links, or a mark. */
export interface AuditedChange extends WatchedChange {
  readonly documentKey?: { readonly _id: string };
  readonly fullDocument?: Changed;
  readonly fullDocumentBeforeChange?: Changed;
  readonly updateDescription?: { readonly updatedFields?: { readonly n?: number } };
}

interface Changed {
  readonly type?: string;
  readonly parent_id?: string | null;
  readonly workspace?: string | null;
  readonly items?: readonly string[];
  readonly n?: number;
}

/** The catalogs whose names audits read: units and correction tables. */
const READ_BY_NAME = ['uom', 'vcfTable'];
const MARKS = [AUDIT_PROJECTION.mark, AUDIT_PROJECTION.anew];

const WATCH: Watch = {
  collections: [
    { collection: 'documents', operations: ['insert', 'replace', 'delete'] },
    { collection: 'catalog_records', operations: ['replace'], where: { member: 'xtype', in: READ_BY_NAME } },
    { collection: 'synonyms', operations: ['insert', 'delete'] },
    { collection: 'leases', operations: ['insert', 'update'], ids: MARKS },
  ],
  members: ['type', 'parent_id', 'workspace', 'items', 'n'],
  updated: ['n'],
};

/** The projection of figure audits. */
export const FIGURE_AUDITS: ProjectionSource & ProjectionNames = {
  ...AUDIT_PROJECTION,
  title: 'figure audits',
  watch: WATCH,
  batch: 1_000,
  gatherMs: 200, // delays the events of findings by as much
};

/** The audits that a batch of changes requires. */
export interface ToAudit {
  readonly jobs: readonly string[];
  /** Records whose names or links changed: anything that refers to them may be judged differently. */
  readonly records: readonly RecordGroup[];
  readonly specifications: readonly RecordGroup[];
  /** Only documents changed; links between items are the same as before. */
  readonly areLinksSame: boolean;
  /** Set if all jobs must be audited: the number of such requests so far. */
  readonly anew: number | undefined;
  /** The first change, and the last. */
  readonly from: Timestamp | undefined;
  readonly after: Timestamp | undefined;
  readonly progress: ResumePoint;
}

/** Works out which audits changes affect. */
export class AuditedChanges {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** The last mark that a reader has set. */
  async lastMark(): Promise<number | undefined> {
    const marks = this.#db.collection<{ readonly _id: string; readonly n: number }>('leases');
    return (await marks.findOne({ _id: AUDIT_PROJECTION.mark }))?.n;
  }

  async toAudit(changes: readonly AuditedChange[]): Promise<ToAudit> {
    const found = new Found();
    const unknown: string[] = [];
    for (const change of changes) {
      const { fullDocument, fullDocumentBeforeChange, updateDescription } = change;
      const id = String(change.documentKey?._id);
      const entity = fullDocument ?? fullDocumentBeforeChange;
      const n = updateDescription?.updatedFields?.n ?? fullDocument?.n;
      if (id === AUDIT_PROJECTION.anew) found.anew = n ?? found.anew;
      else if (id === AUDIT_PROJECTION.mark) found.mark = n ?? found.mark;
      else if (entity) {
        found.note(id, entity, change.ns?.coll);
        if (fullDocumentBeforeChange?.parent_id) found.jobs.add(fullDocumentBeforeChange.parent_id); // it may have moved
      } else if (change.operationType !== 'invalidate') unknown.push(id);
    }
    for (const { _id, ...buried } of await this.#buried(unknown)) found.note(_id, buried, undefined);
    for (const id of unknown) found.jobs.add(id); // an unknown document may have been a job
    const last = changes.at(-1);
    const { jobs, records, specifications, anew, mark } = found;
    return {
      jobs: [...jobs],
      ...{ records, specifications, anew, from: changes[0]?.clusterTime, after: last?.clusterTime },
      areLinksSame: records.length + unknown.length === 0,
      progress: resumePointAfter(last, mark),
    };
  }

  /** Deleted documents and links for which MongoDB has kept no pre-image. */
  async #buried(ids: readonly string[]): Promise<(Changed & { readonly _id: string })[]> {
    if (ids.length === 0) return [];
    const projection = { type: 1, parent_id: 1, workspace: 1, items: 1 };
    const graves = this.#db.collection<Changed & { readonly _id: string }>('tombstones');
    return graves.find({ _id: { $in: [...ids] } }, { projection }).toArray();
  }
}

class Found {
  readonly jobs = new Set<string>();
  readonly records: RecordGroup[] = [];
  readonly specifications: RecordGroup[] = [];
  anew: number | undefined;
  mark: number | undefined;

  note(id: string, { type, parent_id, workspace, items }: Changed, collection: string | undefined): void {
    if (collection === 'catalog_records' || items) {
      if (workspace) this.records.push({ workspace, records: items ?? [id] });
    } else if (type === JOB_TYPE) this.jobs.add(id);
    else if (type === SPECIFICATION_TYPE && workspace) this.specifications.push({ workspace, records: [id] });
    else if (parent_id) this.jobs.add(parent_id);
  }
}
