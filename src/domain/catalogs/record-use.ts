import { ServiceError } from '../../errors.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { type DeletionMark, deletionMarkOf } from '../../store/entities/deletion-mark.ts';
import { finishLater } from '../../store/finish-later.ts';
import type { RequestContext } from '../request/request-context.ts';

/** What may refer to a record. */
export interface Uses {
  readonly synonyms: boolean;
}

/**
 * Does what may only happen while nothing refers to the record, else IN_USE. It marks the record first and counts after,
 * whoever refers to it writes first and looks for the mark after: whichever comes second sees the other. Undefined when
 * another change came first.
 */
export async function withDeletionGuard<T>(
  ctx: RequestContext,
  record: Entity,
  uses: Uses,
  change: (mark: DeletionMark) => Promise<T | undefined>,
): Promise<T | undefined> {
  const { catalogRecords } = ctx.writeStores();
  const mark = deletionMarkOf(record, ctx.sources.now());
  const unmark = () => catalogRecords.unmark(mark);
  let outcome: T | undefined;
  try {
    if (!(await catalogRecords.markDeleting(mark))) return undefined;
    await refuseWhileInUse(ctx, record, uses);
    outcome = await change(mark);
    return outcome;
  } finally {
    if (outcome === undefined) await unmark().catch(() => void finishLater(unmark));
  }
}

async function refuseWhileInUse(ctx: RequestContext, { id, workspaceId }: Entity, { synonyms }: Uses): Promise<void> {
  const stores = ctx.writeStores();
  const documents = await stores.documents.countWhere({ workspace: workspaceId, refs: id });
  if (documents > 0) throw inUse(`${documents} ${documents === 1 ? 'document refers' : 'documents refer'} to it`, id);
  const links = synonyms ? await stores.synonyms.countWhere({ workspace: workspaceId, items: id }) : 0;
  if (links > 0) throw inUse(`it has ${links} ${links === 1 ? 'synonym' : 'synonyms'}`, id);
}

const inUse = (why: string, id: string): ServiceError =>
  new ServiceError('IN_USE', `The record ${id} is in use: ${why}.`);
