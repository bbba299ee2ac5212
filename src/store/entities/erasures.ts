import { randomUUID } from 'node:crypto';
import type { Collection, Db, Filter } from 'mongodb';

/** What was erased, below which something may have been put by a request that did not see it go. */
export interface Erased {
  readonly noun: 'documents' | 'records' | 'workspace';
  readonly ids: readonly string[];
  /** Where documents or records were stored; the workspace itself. */
  readonly workspace: string | null;
}

interface StoredErasure extends Erased {
  /** The first of the ids. */
  readonly _id: string;
  /** When it is due, by the clock of MongoDB. */
  readonly due: Date;
  readonly looked: boolean;
  /** The sweep that works on it. */
  readonly claim?: string;
}

/** A request that read something before it went has written below it by then, or never will. */
const FIRST_LOOK_MS = 60_000;
/** Once more, for a gateway that stood still meanwhile. */
const LAST_LOOK_MS = 15 * 60_000;
/** A deletion that goes on has taken its next step by then, or its gateway died. */
const NEXT_STEP_MS = 15_000;
/** How long erasures are reserved for the gateway that works on them. */
const CLAIM_MS = 60_000;
/** How many erasures are worked on together, and how many entities they name, unless one of them names more. */
const AT_ONCE = 500;
const IDS_AT_ONCE = 2_000;

/**
 * Recent erasures. Deletions and creations check for each other after they have written; if a gateway dies before its check,
 * another one repeats the check later for the erasures listed here.
 */
export class Erasures {
  readonly #collection: Collection<StoredErasure>;

  constructor(db: Db) {
    this.#collection = db.collection('erasures');
  }

  /**
   * Lists them, at any time before the transaction that erases them is committed: a majority that has the commit has what the primary
   * wrote before. What is listed and not erased is let alone. Where the deletion goes on below it, it is due as soon as that
   * no longer lists it anew.
   */
  async add(erased: Erased | readonly Erased[], { goesOn = false }: { readonly goesOn?: boolean } = {}): Promise<void> {
    const due = inMs(goesOn ? NEXT_STEP_MS : FIRST_LOOK_MS);
    const updates = [erased].flat().flatMap(({ noun, ids, workspace }) => {
      const listed = { noun, ids: { $literal: ids }, workspace, looked: false, due, claim: '$$REMOVE' };
      const [_id] = ids;
      return _id === undefined ? [] : [{ updateOne: { filter: { _id }, update: [{ $set: listed }], upsert: true } }];
    });
    if (updates.length > 0) await this.#collection.bulkWrite(updates, { ordered: false, ...BY_PRIMARY });
  }

  /**
   * Runs the work for the erasures that are due, many at once, and returns how many there were. Where that fails, it runs for each of
   * them alone; those whose work fails then are due again later, and the first of the errors is thrown when all others are done.
   */
  async runDue(work: (erased: readonly Erased[]) => Promise<void>): Promise<number> {
    const failures: unknown[] = [];
    let count = 0;
    for (let some = await this.#claim(); some.length > 0; some = await this.#claim()) {
      const done = await doneOf(some, work, failures);
      await this.#looked(done);
      count += done.length;
    }
    if (failures.length > 0) throw failures[0];
    return count;
  }

  /** Reserves some that are due; none when there are no more. */
  async #claim(): Promise<StoredErasure[]> {
    const isDue = { $expr: { $lt: ['$due', '$$NOW'] } };
    for (;;) {
      const found = this.#collection.find(isDue, { projection: { size: { $size: '$ids' } } });
      const due = (await found.sort({ due: 1 }).limit(AT_ONCE).toArray()) as unknown as Sized[];
      if (due.length === 0) return [];
      const _id = { $in: fitting(due) };
      const claim = randomUUID();
      await this.#collection.updateMany({ _id, ...isDue }, [{ $set: { due: inMs(CLAIM_MS), claim } }]);
      const claimed = await this.#collection.find({ _id, claim }).toArray();
      if (claimed.length > 0) return claimed; // else another gateway was faster
    }
  }

  /** They were looked at: once more later, or not again. */
  async #looked(done: readonly StoredErasure[]): Promise<void> {
    const [first] = done;
    if (!first) return;
    const own = { _id: { $in: done.map(({ _id }) => _id) }, claim: first.claim } as Filter<StoredErasure>;
    await this.#collection.deleteMany({ ...own, looked: true }); // first: the others are looked at afterwards, too
    await this.#collection.updateMany({ ...own, looked: false }, [{ $set: { due: inMs(LAST_LOOK_MS), looked: true } }]);
  }
}

/** Those for which the work was done; errors of the others are added to the failures. */
async function doneOf(
  some: readonly StoredErasure[],
  work: (erased: readonly Erased[]) => Promise<void>,
  failures: unknown[],
): Promise<readonly StoredErasure[]> {
  try {
    await work(some);
    return some;
  } catch (error) {
    if (some.length === 1) failures.push(error);
  }
  const done: StoredErasure[] = [];
  for (const one of some.length > 1 ? some : []) done.push(...(await doneOf([one], work, failures)));
  return done;
}

/** An erasure, and how many entities it names. */
interface Sized {
  readonly _id: string;
  readonly size: number;
}

/** The first of them that may be worked on together. */
function fitting(due: readonly Sized[]): string[] {
  const ids: string[] = [];
  let named = 0;
  for (const { _id, size } of due) {
    named += size;
    if (named > IDS_AT_ONCE && ids.length > 0) break;
    ids.push(_id);
  }
  return ids;
}

const BY_PRIMARY = { writeConcern: { w: 1 } } as const;
const inMs = (ms: number) => ({ $add: ['$$NOW', ms] });
