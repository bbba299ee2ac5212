import type { Db, Timestamp } from 'mongodb';
import { JOB_TYPE } from '../../model/document-types/job.ts';
import type { ProjectionNames } from '../change-streams/freshness.ts';
import { type MarksOfBatch, marksIn, withMarks } from '../change-streams/marks.ts';
import type { ProjectionSource } from '../change-streams/projection.ts';
import { type ResumePoint, resumePointAfter } from '../change-streams/resume-point.ts';
import type { WatchedChange } from '../change-streams/watch.ts';

const MARK = 'statistics mark';

/** A change that affects statistics: to a document, or a mark. */
export interface CountedChange extends WatchedChange {
  readonly documentKey?: { readonly _id: string };
  readonly fullDocument?: Location;
  readonly fullDocumentBeforeChange?: Location;
}

/** The type and parent of a document. */
interface Location {
  readonly type?: string;
  readonly parent_id?: string | null;
}

/** The projection of statistics. */
export const STATISTICS: ProjectionSource & ProjectionNames = {
  title: 'statistics',
  lease: 'statistics lease',
  resumePoint: 'statistics',
  mark: MARK,
  watch: withMarks(MARK, {
    collections: [{ collection: 'documents', operations: ['insert', 'replace', 'delete'] }],
    members: ['type', 'parent_id'],
  }),
  batch: 2_000,
  gatherMs: 1_000, // a reader of statistics cuts it short with a mark
};

/** The recounts that a batch of changes requires. */
export interface ToCount extends MarksOfBatch {
  /** The jobs whose figures may have changed. */
  readonly jobs: readonly string[];
  /** The time of the last change. */
  readonly after: Timestamp | undefined;
  readonly progress: ResumePoint;
}

/** Works out which jobs changes affect. */
export class CountedChanges {
  readonly #db: Db;
  readonly #process: string;

  /** `process` is this process's id in the marks of its readers. */
  constructor(db: Db, process: string) {
    this.#db = db;
    this.#process = process;
  }

  async toCount(changes: readonly CountedChange[]): Promise<ToCount> {
    const jobs = new Set<string>();
    const unknown: string[] = [];
    for (const change of changes) {
      if (change.ns?.coll !== 'documents') continue;
      const { documentKey, fullDocument, fullDocumentBeforeChange } = change;
      const id = String(documentKey?._id);
      const found = fullDocument ?? fullDocumentBeforeChange;
      if (found) note(jobs, id, found);
      else unknown.push(id);
      if (fullDocumentBeforeChange?.parent_id) jobs.add(fullDocumentBeforeChange.parent_id); // it may have moved
    }
    for (const { _id, ...found } of await this.#buried(unknown)) note(jobs, _id, found);
    for (const id of unknown) jobs.add(id);
    const last = changes.at(-1);
    const marks = marksIn(changes, this.#process);
    return { ...marks, jobs: [...jobs], after: last?.clusterTime, progress: resumePointAfter(last, marks.mark) };
  }

  /** Deleted documents for which MongoDB has kept no pre-image. */
  async #buried(ids: readonly string[]): Promise<(Location & { readonly _id: string })[]> {
    if (ids.length === 0) return [];
    const graves = this.#db.collection<Location & { readonly _id: string }>('tombstones');
    return graves.find({ _id: { $in: [...ids] } }, { projection: { type: 1, parent_id: 1 } }).toArray();
  }
}

function note(jobs: Set<string>, id: string, { type, parent_id }: Location): void {
  if (type === JOB_TYPE) jobs.add(id);
  else if (parent_id) jobs.add(parent_id);
}
