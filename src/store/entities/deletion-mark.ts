import type { Entity } from '../../model/entity/entity.ts';

/**
 * How long a deletion mark is honoured; older ones were left by a gateway that died, or that stalled and may resume. Removing an
 * expired mark keeps that deletion from erasing entities it finds unmarked or written to.
 */
const DELETION_MARK_MS = 30_000;

/** Identifies what a deletion marks: an entity at the version that was read. */
export type DeletionMark = Readonly<{ _id: string; version_id: string; deleting_at: Date }>;

/** The mark that a deletion starting now puts on an entity. */
export const deletionMarkOf = ({ id, versionId }: Entity, now: Date): DeletionMark => ({
  _id: id,
  version_id: versionId,
  deleting_at: now,
});

/** The mark that a deletion left on an entity, whatever became of it. */
export function markOn(entity: Entity): Pick<DeletionMark, '_id' | 'deleting_at'> | undefined {
  const deleting_at = entity.stored('deleting_at');
  return deleting_at instanceof Date ? { _id: entity.id, deleting_at } : undefined;
}

/** Whether the entity has a deletion mark that has not expired. */
export function isBeingDeleted(entity: Entity, now: Date): boolean {
  const mark = markOn(entity);
  return mark !== undefined && now.getTime() - mark.deleting_at.getTime() <= DELETION_MARK_MS;
}

/** The filter for entities with no deletion mark or an expired one. */
export const notBeingDeleted = (now: Date) => ({
  $or: [{ deleting_at: { $exists: false } }, { deleting_at: { $lt: new Date(now.getTime() - DELETION_MARK_MS) } }],
});

/** Matches an entity only if no transaction has written to it (`EntityCollection.fence`) since it was read. */
export const unfencedSince = (entity: Entity) => ({ held: (entity.stored('held') as number | undefined) ?? null });
