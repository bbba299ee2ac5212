import { type AnyBulkWriteOperation, type Collection, MongoBulkWriteError } from 'mongodb';
import type { Stored } from '../../model/entity/entity.ts';
import { DUPLICATE_KEY } from '../duplicate-key.ts';

/** An update of one document at the version that it was read at. */
export interface GuardedUpdate<Row extends Stored> {
  readonly id: string;
  readonly update: AnyBulkWriteOperation<Row>;
}

/** How the documents of a migration are changed. */
export interface Rewriting<Row extends Stored, Read> {
  readonly collection: Collection<Row>;
  /** Reads documents again, by their ids. */
  readonly readAgain: (ids: readonly string[]) => Promise<readonly Read[]>;
  /** None where a document is as it shall be. */
  readonly updateOf: (read: Read) => readonly GuardedUpdate<Row>[];
  /** Whether an update that a unique index refuses is left out; otherwise it is an error. */
  readonly mayCollide?: boolean;
}

/** Writes the updates of a batch; what another write changed in between is read again. How many documents it changed. */
export async function rewrite<Row extends Stored, Read>(
  { collection, readAgain, updateOf, mayCollide = false }: Rewriting<Row, Read>,
  batch: readonly Read[],
): Promise<number> {
  let changed = 0;
  for (let left = batch; ; ) {
    const updates = left.flatMap(updateOf);
    if (updates.length === 0) return changed;
    const writes = updates.map(({ update }) => update);
    const { matched, refused } = await collection.bulkWrite(writes, { ordered: false }).then(
      ({ matchedCount }) => ({ matched: matchedCount, refused: 0 }),
      (error: unknown) => (mayCollide ? withoutCollisions(error) : Promise.reject(error)),
    );
    changed += matched;
    if (matched + refused === updates.length) return changed;
    left = await readAgain(updates.map(({ id }) => id));
  }
}

/** What was written beside the updates that a unique index refused; any other error is thrown. */
function withoutCollisions(error: unknown): { readonly matched: number; readonly refused: number } {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const refusals = [error.writeErrors].flat();
  if (refusals.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
  return { matched: error.result.matchedCount, refused: refusals.length };
}
