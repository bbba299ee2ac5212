import { duplicateKeyIndex } from '../../store/duplicate-key.ts';
import { UNIQUE } from '../../store/indexes/indexes.ts';
import { rollBack, type Transaction } from '../../store/transactions/transaction.ts';
import { BeingDeleted, DELETION_PATIENCE_MS } from '../deletion/deletion-guard.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { WorkspaceAccess } from '../workspaces/workspace-access.ts';
import type { CatalogReference } from './catalog-reference.ts';
import { withAddedXref } from './new-record.ts';
import { candidates, type Resolution, resolve } from './resolve-references.ts';

const ATTEMPTS = 30;

/** The outcome of writing an entity. */
export type WriteResult<S> = { readonly kind: 'written'; readonly stored: S } | Unchanged | Conflict;

/** The change makes no difference. */
interface Unchanged {
  readonly kind: 'unchanged';
}

/** Another change came first; nothing was written. */
interface Conflict {
  readonly kind: 'conflict';
}

/** The outcome when another change came first; a transaction with this outcome is rolled back. */
export const CONFLICT: Conflict = { kind: 'conflict' };

/** A write in one transaction with the records it refers to. */
interface TransactionWrite<Result> {
  /** It may run more than once. */
  write(resolution: Resolution, tx: Transaction): Promise<Result>;
  /** The records that the entity already refers to; if given, newly referenced ones are fenced against deletion. */
  readonly alreadyReferenced?: ReadonlySet<string>;
  /** The id of an entity with concurrent writers; writes within one process are serialized on it. */
  readonly inTurnFor?: string;
}

/** Whether the references require records to be created or changed, so that a single write is not enough. */
export const needsRecords = ({ created, changed }: Resolution): boolean => created.length > 0 || changed.length > 0;

/**
 * Keys of the records that are created, changed or fenced along with a change of an entity; concurrent writers of the same records should
 * take turns. If there are none, a single write is enough.
 */
export const recordsWritten = (resolution: Resolution, alreadyReferenced: ReadonlySet<string>): string[] => [
  ...newlyReferenced(resolution, alreadyReferenced),
  ...resolution.changed.map(({ id }) => id),
  ...resolution.created.map(
    ({ workspace, xtype, created_for, xref }) => `${workspace} ${xtype} ${created_for ?? xref}`,
  ),
];

/**
 * Resolves the references, creates the missing records and writes the entity that refers to them, in one transaction. If two requests
 * create the same record, a unique index rejects the second, which retries and finds the record.
 */
export async function writeTogether<Result extends { readonly kind: string }>(
  ctx: RequestContext,
  access: WorkspaceAccess,
  catalogReferences: readonly CatalogReference[],
  work: TransactionWrite<Result>,
): Promise<Result> {
  const until = performance.now() + DELETION_PATIENCE_MS;
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(ctx, access, catalogReferences, work);
    } catch (error) {
      const mayPass =
        error instanceof BeingDeleted ? performance.now() < until : attempt < ATTEMPTS && isRecordTaken(error);
      if (!mayPass) throw error;
      await pause(attempt);
    }
  }
}

function inTransaction<Result extends { readonly kind: string }>(
  ctx: RequestContext,
  access: WorkspaceAccess,
  catalogReferences: readonly CatalogReference[],
  work: TransactionWrite<Result>,
): Promise<Result> {
  const stores = ctx.writeStores();
  const whole = async (tx: Transaction) => {
    const resolution = await resolve(ctx, access, catalogReferences, candidates(ctx, access, catalogReferences, tx));
    await stores.catalogRecords.insertMany(resolution.created, tx);
    for (const { id, xref } of resolution.changed) {
      const [before] = await stores.catalogRecords.findMany({ _id: id }, tx);
      const isChanged = before && (await stores.catalogRecords.replace(before, withAddedXref(ctx, before, xref), tx));
      if (!isChanged) throw new Error('record changed in a snapshot');
    }
    await fence(ctx, newlyReferenced(resolution, work.alreadyReferenced), tx);
    const result = await work.write(resolution, tx);
    if (result.kind === CONFLICT.kind) await rollBack(tx);
    return result;
  };
  return stores.transaction(whole, { inTurnFor: work.inTurnFor });
}

/** Writing to a record excludes its concurrent deletion. */
async function fence(ctx: RequestContext, ids: readonly string[], tx: Transaction): Promise<void> {
  if (ids.length === 0) return;
  const fenced = await ctx.writeStores().catalogRecords.fence({ _id: ids }, ctx.sources.now(), tx);
  if (fenced < ids.length) throw new BeingDeleted('A catalog record that is referred to is being deleted.');
}

/** Existing records that are newly referenced and not otherwise written by this change. */
function newlyReferenced(
  { ids, created, changed }: Resolution,
  alreadyReferenced: ReadonlySet<string> | undefined,
): string[] {
  if (!alreadyReferenced) return [];
  const written = new Set([...created.map(({ _id }) => _id), ...changed.map(({ id }) => id)]);
  return [...new Set(ids.values())].filter((id) => !alreadyReferenced.has(id) && !written.has(id)).sort();
}

const isRecordTaken = (error: unknown): boolean => {
  const index = duplicateKeyIndex(error);
  return index === UNIQUE.recordCreatedFor || index === UNIQUE.recordXref;
};

/** A short random delay (jitter), so that conflicting requests do not collide again. */
const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(5 * attempt, 50)));
