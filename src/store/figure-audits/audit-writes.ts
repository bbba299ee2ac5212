import type { ClientSession, Db } from 'mongodb';
import type { StoredDocument } from '../../model/entity/entity.ts';
import { type Writes, writeMany } from '../batching/write-commands.ts';
import type { OwnedResumePoint, ResumePoint } from '../change-streams/resume-point.ts';
import { inTransactionOf } from '../change-streams/snapshot-transactions.ts';
import { AUDITS, type AuditOfJob, type StoredAudit } from './kept-audit.ts';

/** The new audits by job; undefined for a job that no longer exists. */
export type NewAudits = ReadonlyMap<string, StoredAudit | undefined>;

/** An audit with its change number. */
export type NumberedAudit = AuditOfJob & { readonly n: number };

/** Writes audits for the process that owns the resume point. */
export class AuditWrites {
  readonly #db: Db;
  readonly #session: ClientSession;
  readonly #point: OwnedResumePoint;

  constructor(db: Db, session: ClientSession, point: OwnedResumePoint) {
    this.#db = db;
    this.#session = session;
    this.#point = point;
  }

  /** Writes audits and the resume point in one transaction; false when another process owns the point. */
  async keep(before: ReadonlyMap<string, StoredAudit>, now: NewAudits, point: ResumePoint): Promise<boolean> {
    const session = this.#session;
    const writes = writesOf(before, now);
    return inTransactionOf(session, undefined, async () => {
      // First, so that a process that has lost the resume point changes nothing.
      if (!(await this.#point.save(point, session))) return false;
      await writeMany(this.#db, AUDITS, writes, session);
      return true;
    });
  }

  /**
   * Marks the jobs themselves with their verdicts, for lists to filter by. This is outside the transaction, in which a process
   * that dies would lock the jobs. The next process finishes what it left undone by auditing the same jobs again: those of the
   * changes it resumes with, and those that the resume point lists as untold.
   */
  async mark(audits: readonly NumberedAudit[]): Promise<void> {
    const wrong = audits.filter(isMarkedWrong);
    if (wrong.length === 0) return;
    await this.#db.collection<StoredDocument>('documents').bulkWrite(
      wrong.map(({ id, audit, n }) => ({
        updateOne: {
          // A delayed process must not undo the marks of a later one.
          filter: { _id: id, 'audit.n': { $not: { $gt: n } } },
          update: { $set: { audit: { passed: isPassed(audit), n } } },
        },
      })),
      { ordered: false },
    );
  }
}

/** Whether a job's mark disagrees with its audit. */
export const isMarkedWrong = ({ audit, marked }: AuditOfJob): boolean => isPassed(audit) !== (marked !== false);

const isPassed = ({ findings }: AuditOfJob['audit']): boolean => findings.length === 0;

function writesOf(before: ReadonlyMap<string, StoredAudit>, now: NewAudits): Writes {
  const there = [...now.values()].filter((audit) => audit !== undefined);
  return {
    insert: there.filter(({ _id }) => !before.has(_id)),
    update: there.filter(({ _id }) => before.has(_id)).map((audit) => ({ q: { _id: audit._id }, u: audit })),
    delete: [...now].flatMap(([_id, audit]) => (audit ? [] : { q: { _id }, limit: 1 })),
  };
}
