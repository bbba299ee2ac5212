import { ServiceError } from '../../errors.ts';
import { type AuditAction, type AuditSource, THE_SERVICE } from '../../model/audit.ts';
import { attachmentType } from '../../model/entity/attachment-type.ts';
import type { Stored } from '../../model/entity/entity.ts';
import { catalogRecordType, organizationType, synonymType, workspaceType } from '../../model/entity/entity-types.ts';
import type { Deletion } from '../../store/audit/tombstones.ts';
import type { EntityCollection } from '../../store/entities/entity-collection.ts';
import type { Match } from '../../store/entities/match.ts';
import type { Stores } from '../../store/stores.ts';
import type { Transaction } from '../../store/transactions/transaction.ts';

/** Who deletes what and when, and the transaction of the whole deletion. */
export interface TracedDeletion extends Deletion {
  readonly tx: Transaction;
}

/**
 * Erases all matching entities in a transaction that leaves a tombstone and an audit log entry for each (contract §12); returns their
 * ids. Entities that were never acknowledged are removed without either (`undoInsert`).
 */
export function eraseTraced<S extends Stored>(
  { tombstones, audit }: Stores,
  { collection, match }: { readonly collection: EntityCollection<S>; readonly match: Match },
  { sourceOf, at, tx }: TracedDeletion,
): Promise<string[]> {
  const keep = async (erased: readonly S[]): Promise<void> => {
    await tombstones.bury(erased, { sourceOf, at }, tx);
    const entries = erased.map(({ _id, type }) => ({
      ...sourceOf(_id),
      at,
      action: ACTION_OF[type] ?? 'document.deleted',
      entity: _id,
      outcome: 'success' as const,
    }));
    await audit.add(entries, tx);
  };
  return collection.take(match, keep, tx);
}

const ACTION_OF: Readonly<Record<string, AuditAction>> = {
  [attachmentType.name]: 'attachment.deleted',
  [catalogRecordType.name]: 'catalog_record.deleted',
  [synonymType.name]: 'synonym.deleted',
  [workspaceType.name]: 'workspace.deleted',
  [organizationType.name]: 'organization.deleted',
};

/** The error when only the rest of a deletion failed; the erasure sweep completes it. */
export function restGoesByItself(cause: unknown): never {
  throw new ServiceError(
    'UNAVAILABLE',
    'It has been deleted, but not yet everything in it: the rest will be deleted within a minute, or as soon as the database is back. There is no need to repeat the request.',
    { headers: { 'Retry-After': '5' }, cause },
  );
}

/** The source to record for what was left below deleted entities: whoever deleted those. */
export const deleterOf = async ({ tombstones }: Stores, gone: readonly string[]): Promise<AuditSource> =>
  (await tombstones.sourceOf(gone)) ?? THE_SERVICE;
