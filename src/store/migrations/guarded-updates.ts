import { type AnyBulkWriteOperation, type Collection, MongoBulkWriteError } from 'mongodb';
import type { Stored } from '../../model/entity/entity.ts';
import { hasCode } from '../connection/error-codes.ts';

/** An update of one document that applies only at the version that was read. */
export interface GuardedUpdate<Row extends Stored> {
  readonly id: string;
  readonly update: AnyBulkWriteOperation<Row>;
}

/** How a migration changes documents. */
export interface Rewriting<Row extends Stored, Read> {
  readonly collection: Collection<Row>;
  /** Reads documents again, by their ids. */
  readonly readAgain: (ids: readonly string[]) => Promise<readonly Read[]>;
  /** The updates a document needs; none if it is up to date. */
  readonly updateOf: (read: Read) => readonly GuardedUpdate<Row>[];
  /** Whether to skip updates that violate a unique index; otherwise they are errors. */
  readonly mayCollide?: boolean;
}

/** Writes the updates of a batch, rereading documents changed concurrently. Returns how many documents it changed. */
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

/** The counts of a write without the updates that violated a unique index; rethrows any other error. */
function withoutCollisions(error: unknown): { readonly matched: number; readonly refused: number } {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const refusals = [error.writeErrors].flat();
  if (!refusals.every((refusal) => hasCode(refusal, 'DuplicateKey'))) throw error;
  return { matched: error.result.matchedCount, refused: refusals.length };
}
