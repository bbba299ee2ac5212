import type { Entity } from '../../model/entity/entity.ts';

/** How long a deletion's mark is believed; one that is older was left by a gateway that died. */
const DELETION_MARK_MS = 30_000;

/** What a deletion marks: an entity at the version that it was read in. */
export type DeletionMark = Readonly<{ _id: string; version_id: string; deleting_at: Date }>;

/** The mark that a deletion of now puts on an entity. */
export const deletionMarkOf = ({ id, versionId }: Entity, now: Date): DeletionMark => ({
  _id: id,
  version_id: versionId,
  deleting_at: now,
});

/** Whether a deletion has marked the entity, and is still believed. */
export function isBeingDeleted(entity: Entity, now: Date): boolean {
  const mark = entity.stored('deleting_at');
  return mark instanceof Date && now.getTime() - mark.getTime() <= DELETION_MARK_MS;
}

/** The filter for what no deletion has marked, or only one that died. */
export const notBeingDeleted = (now: Date) => ({
  $or: [{ deleting_at: { $exists: false } }, { deleting_at: { $lt: new Date(now.getTime() - DELETION_MARK_MS) } }],
});

/** What only meets an entity that no transaction has written to (`EntityCollection.fence`) since it was read. */
export const unfencedSince = (entity: Entity) => ({ held: (entity.stored('held') as number | undefined) ?? null });
