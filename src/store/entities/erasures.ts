import type { Collection, Db } from 'mongodb';
import { type Transaction, within } from '../transactions/transaction.ts';

/** What was erased, below which something may have been put by a request that did not see it go. */
export interface Erased {
  readonly noun: 'documents' | 'workspace';
  readonly ids: readonly string[];
  /** Where documents were stored; the workspace itself. */
  readonly workspace: string | null;
}

interface StoredErasure extends Erased {
  /** The first of the ids. */
  readonly _id: string;
  /** When it is due, by the clock of MongoDB. */
  readonly due: Date;
  readonly looked: boolean;
}

/** A request that read something before it went has written below it by then, or never will. */
const FIRST_LOOK_MS = 60_000;
/** Once more, for a gateway that stood still meanwhile. */
const LAST_LOOK_MS = 15 * 60_000;
/** How long an erasure is reserved for the gateway that works on it. */
const CLAIM_MS = 60_000;

/**
 * Recent erasures. Deletions and creations check for each other after they have written; if a gateway dies before its check,
 * another one repeats the check later for the erasures listed here.
 */
export class Erasures {
  readonly #collection: Collection<StoredErasure>;

  constructor(db: Db) {
    this.#collection = db.collection('erasures');
  }

  /** Lists it, in the transaction that erases it. */
  async add({ noun, ids, workspace }: Erased, tx: Transaction): Promise<void> {
    const listed = { noun, ids: { $literal: ids }, workspace, looked: false, due: inMs(FIRST_LOOK_MS) };
    const [_id] = ids;
    if (_id === undefined) return;
    await this.#collection.updateOne({ _id }, [{ $set: listed }], { upsert: true, ...within(tx) });
  }

  /** Runs the work for each erasure that is due, and returns how many there were. One whose work fails is due again later. */
  async runDue(work: (erased: Erased) => Promise<void>): Promise<number> {
    const isDue = { $expr: { $lt: ['$due', '$$NOW'] } };
    let count = 0;
    for await (const found of this.#collection.find(isDue).sort({ due: 1 })) {
      const same = { _id: found._id, due: found.due };
      const claimed = await this.#collection.findOneAndUpdate(same, [{ $set: { due: inMs(CLAIM_MS) } }], AFTER);
      if (!claimed) continue;
      await work(found);
      const own = { _id: found._id, due: claimed.due };
      if (found.looked) await this.#collection.deleteOne(own);
      else await this.#collection.updateOne(own, [{ $set: { due: inMs(LAST_LOOK_MS), looked: true } }]);
      count += 1;
    }
    return count;
  }
}

const AFTER = { returnDocument: 'after' } as const;

const inMs = (ms: number) => ({ $add: ['$$NOW', ms] });
