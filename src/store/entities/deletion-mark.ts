import type { Entity } from '../../model/entity/entity.ts';

/**
 * How long a deletion's mark is believed; one that is older was left by a gateway that died, or that stands still and may go on.
 * Who does not believe it takes it off, and so keeps that deletion from erasing what it finds unmarked or written to.
 */
const DELETION_MARK_MS = 30_000;

/** What a deletion marks: an entity at the version that it was read in. */
export type DeletionMark = Readonly<{ _id: string; version_id: string; deleting_at: Date }>;

/** The mark that a deletion of now puts on an entity. */
export const deletionMarkOf = ({ id, versionId }: Entity, now: Date): DeletionMark => ({
  _id: id,
  version_id: versionId,
  deleting_at: now,
});

/** The mark that a deletion has left on an entity, whatever became of it. */
export function markOn(entity: Entity): Pick<DeletionMark, '_id' | 'deleting_at'> | undefined {
  const deleting_at = entity.stored('deleting_at');
  return deleting_at instanceof Date ? { _id: entity.id, deleting_at } : undefined;
}

/** Whether a deletion has marked the entity, and is still believed. */
export function isBeingDeleted(entity: Entity, now: Date): boolean {
  const mark = markOn(entity);
  return mark !== undefined && now.getTime() - mark.deleting_at.getTime() <= DELETION_MARK_MS;
}

/** The filter for what no deletion has marked, or only one that is believed no more. */
export const notBeingDeleted = (now: Date) => ({
  $or: [{ deleting_at: { $exists: false } }, { deleting_at: { $lt: new Date(now.getTime() - DELETION_MARK_MS) } }],
});

/** What only meets an entity that no transaction has written to (`EntityCollection.fence`) since it was read. */
export const unfencedSince = (entity: Entity) => ({ held: (entity.stored('held') as number | undefined) ?? null });
