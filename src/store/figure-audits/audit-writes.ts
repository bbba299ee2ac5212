import type { ClientSession, Db } from 'mongodb';
import type { StoredDocument } from '../../model/entity/entity.ts';
import { type Writes, writeMany } from '../batching/write-commands.ts';
import type { OwnedResumePoint, ResumePoint } from '../change-streams/resume-point.ts';
import { inTransactionOf } from '../change-streams/snapshot-transactions.ts';
import { AUDITS, type AuditOfJob, type StoredAudit } from './kept-audit.ts';

/** What audits become: undefined for a job that is no longer there. */
export type NewAudits = ReadonlyMap<string, StoredAudit | undefined>;

/** An audit with the number of its change. */
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
      // First of all, so that a process that has lost the resume point changes nothing.
      if (!(await this.#point.save(point, session))) return false;
      await writeMany(this.#db, AUDITS, writes, session);
      return true;
    });
  }

  /**
   * Marks the verdicts on the jobs themselves, for lists to filter by. It is no part of the transaction, in which a process
   * that dies would hold the jobs; what it leaves undone is done by the next one, which audits the same jobs again: those of
   * the changes that it goes on with, and those that the resume point names as untold.
   */
  async mark(audits: readonly NumberedAudit[]): Promise<void> {
    const wrong = audits.filter(isMarkedWrong);
    if (wrong.length === 0) return;
    await this.#db.collection<StoredDocument>('documents').bulkWrite(
      wrong.map(({ id, audit, n }) => ({
        updateOne: {
          // A process that was held up does not undo what a later one marked.
          filter: { _id: id, 'audit.n': { $not: { $gt: n } } },
          update: { $set: { audit: { passed: isPassed(audit), n } } },
        },
      })),
      { ordered: false },
    );
  }
}

/** Whether a job is listed as what it is not. */
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
