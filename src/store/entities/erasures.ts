import { randomUUID } from 'node:crypto';
import type { Collection, Db, Filter } from 'mongodb';

/** Erased entities, below which a request that missed the erasure may have created something. */
export interface Erased {
  readonly noun: 'documents' | 'records' | 'workspace';
  readonly ids: readonly string[];
  /** Where the documents or records were stored, or the workspace itself. */
  readonly workspace: string | null;
}

interface StoredErasure extends Erased {
  /** The first of the ids. */
  readonly _id: string;
  /** When it is due, by MongoDB's clock. */
  readonly due: Date;
  readonly looked: boolean;
  /** The sweep that is processing it. */
  readonly claim?: string;
}

/** By then, a request that read an entity before its erasure has written below it, or never will. */
const FIRST_LOOK_MS = 60_000;
/** A second look, in case a gateway stalled meanwhile. */
const LAST_LOOK_MS = 15 * 60_000;
/** By then, a deletion in progress has taken its next step, or its gateway has died. */
const NEXT_STEP_MS = 15_000;
/** How long erasures are reserved for the gateway that processes them. */
const CLAIM_MS = 60_000;
/** The most erasures processed together, and the most entities they name, unless a single one names more. */
const AT_ONCE = 500;
const IDS_AT_ONCE = 2_000;

/**
 * Recent erasures. Deletions and creations check for each other after writing; if a gateway dies before its check, another repeats
 * it later for the erasures listed here.
 */
export class Erasures {
  readonly #collection: Collection<StoredErasure>;

  constructor(db: Db) {
    this.#collection = db.collection('erasures');
  }

  /**
   * Lists erasures, at any time before the erasing transaction commits: a majority that has the commit also has the primary's
   * earlier writes. Entities listed but not erased are left alone. If the deletion continues below them, they become due as soon as
   * it stops renewing the entry.
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
   * Runs the work for due erasures, many at once, and returns how many there were. If that fails, it is run for each alone; those
   * that fail then become due again later, and the first error is thrown once all others are done.
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

  /** Reserves some due erasures; none if there are no more. */
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
      if (claimed.length > 0) return claimed; // otherwise another gateway was faster
    }
  }

  /** Records the look: schedules a second one, or removes the erasure. */
  async #looked(done: readonly StoredErasure[]): Promise<void> {
    const [first] = done;
    if (!first) return;
    const own = { _id: { $in: done.map(({ _id }) => _id) }, claim: first.claim } as Filter<StoredErasure>;
    await this.#collection.deleteMany({ ...own, looked: true }); // first, since the update below marks the others as looked at, too
    await this.#collection.updateMany({ ...own, looked: false }, [{ $set: { due: inMs(LAST_LOOK_MS), looked: true } }]);
  }
}

/** The erasures whose work succeeded; errors of the others are added to `failures`. */
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

/** An erasure and the number of entities it names. */
interface Sized {
  readonly _id: string;
  readonly size: number;
}

/** The leading erasures that may be processed together. */
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
