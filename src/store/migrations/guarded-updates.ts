import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { Stored } from '../../model/entity/entity.ts';

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
}

/** Writes the updates of a batch; what another write changed in between is read again. How many documents it changed. */
export async function rewrite<Row extends Stored, Read>(
  { collection, readAgain, updateOf }: Rewriting<Row, Read>,
  batch: readonly Read[],
): Promise<number> {
  let changed = 0;
  for (let left = batch; ; ) {
    const updates = left.flatMap(updateOf);
    if (updates.length === 0) return changed;
    const { matchedCount } = await collection.bulkWrite(
      updates.map(({ update }) => update),
      { ordered: false },
    );
    changed += matchedCount;
    if (matchedCount === updates.length) return changed;
    left = await readAgain(updates.map(({ id }) => id));
  }
}
