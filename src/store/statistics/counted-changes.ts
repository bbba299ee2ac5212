import type { Db, Timestamp } from 'mongodb';
import { JOB_TYPE } from '../../model/document-types/job.ts';
import type { ProjectionNames } from '../change-streams/freshness.ts';
import type { ProjectionSource } from '../change-streams/projection.ts';
import { type ResumePoint, resumePointAfter } from '../change-streams/resume-point.ts';
import type { Watch, WatchedChange } from '../change-streams/watch.ts';

const MARK = 'statistics mark';

/** A change that statistics depend on: of a document, or a mark. */
export interface CountedChange extends WatchedChange {
  readonly documentKey?: { readonly _id: string };
  readonly fullDocument?: Location & Mark;
  readonly fullDocumentBeforeChange?: Location;
  readonly updateDescription?: { readonly updatedFields?: Mark };
}

/** The number of a mark, and who set it. */
interface Mark {
  readonly n?: number;
  readonly by?: string;
}

/** Where a document belongs. */
interface Location {
  readonly type?: string;
  readonly parent_id?: string | null;
}

const WATCH: Watch = {
  collections: [
    { collection: 'documents', operations: ['insert', 'replace', 'delete'] },
    { collection: 'leases', operations: ['insert', 'update'], ids: [MARK] },
  ],
  members: ['type', 'parent_id', 'n', 'by'],
  updated: ['n', 'by'],
};

/** The projection of statistics. */
export const STATISTICS: ProjectionSource & ProjectionNames = {
  title: 'statistics',
  lease: 'statistics lease',
  resumePoint: 'statistics',
  mark: MARK,
  watch: WATCH,
  images: ['documents'],
  batch: 2_000,
  gatherMs: 1_000, // whoever reads statistics ends it by a mark
};

/** What a batch of changes asks for. */
export interface ToCount {
  /** The jobs that may count differently. */
  readonly jobs: readonly string[];
  /** The last of them. */
  readonly after: Timestamp | undefined;
  readonly progress: ResumePoint;
  /** When the mark was set that they end with. */
  readonly marked: Timestamp | undefined;
  /** Whether a reader in another process waits for one of the marks. */
  readonly isAwaitedElsewhere: boolean;
}

/** Finds out which jobs changes are about. */
export class CountedChanges {
  readonly #db: Db;
  readonly #process: string;

  /** For a process of which that is the id in the marks of its readers. */
  constructor(db: Db, process: string) {
    this.#db = db;
    this.#process = process;
  }

  async toCount(changes: readonly CountedChange[]): Promise<ToCount> {
    const jobs = new Set<string>();
    const unknown: string[] = [];
    let mark: number | undefined;
    let isAwaitedElsewhere = false;
    for (const change of changes) {
      const { documentKey, fullDocument, fullDocumentBeforeChange, updateDescription } = change;
      if (change.ns?.coll !== 'documents') {
        const { n, by = '' } = updateDescription?.updatedFields ?? fullDocument ?? {};
        mark = n ?? mark;
        isAwaitedElsewhere ||= n !== undefined && !by.startsWith(this.#process);
        continue;
      }
      const id = String(documentKey?._id);
      const found = fullDocument ?? fullDocumentBeforeChange;
      if (found) note(jobs, id, found);
      else unknown.push(id);
      if (fullDocumentBeforeChange?.parent_id) jobs.add(fullDocumentBeforeChange.parent_id); // it may have moved
    }
    for (const { _id, ...found } of await this.#buried(unknown)) note(jobs, _id, found);
    for (const id of unknown) jobs.add(id);
    const last = changes.at(-1);
    const marked = last?.ns?.coll === 'leases' ? last.clusterTime : undefined;
    const progress = resumePointAfter(last, mark);
    return { jobs: [...jobs], after: last?.clusterTime, progress, marked, isAwaitedElsewhere };
  }

  /** Deleted documents of which MongoDB has kept no image. */
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
