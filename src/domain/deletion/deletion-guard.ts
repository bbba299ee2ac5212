import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import type { Entity, Stored } from '../../model/entity/entity.ts';
import { finishLater } from '../../store/connection/finish-later.ts';
import { type DeletionMark, deletionMarkOf, isBeingDeleted, markOn } from '../../store/entities/deletion-mark.ts';
import type { EntityCollection } from '../../store/entities/entity-collection.ts';
import type { RequestContext } from '../request/request-context.ts';

/*
 * How creations and deletions exclude each other. Nothing may be left without what it needs: a document without its
 * workspace, or with a reference to a record that is gone.
 *
 * A single creation inserts first and then looks whether what it needs stays (`fateOf`). A deletion marks first, then
 * counts what needs the entity, and then erases it (`changeUnlessInUse`). Whichever comes second sees the other. The
 * creation takes its insert back when what it needs is gone; a deletion that is under way may yet be refused, so the
 * creation waits for its outcome. Documents have no mark, since their deletion is never refused: it erases first, then
 * looks for children and attachments, and the creation of one of these looks for its document.
 * A mark that is too old to be believed is taken off by the creation, and a deletion erases only what has its mark.
 * A record that is moved to another catalog is marked as for a deletion; to those who need it, it is gone.
 *
 * A creation in a transaction (bulk, workspaces, references to other records) writes to what it needs
 * instead (`EntityCollection.fence`), so that of it and the deletion one is repeated and then sees the other.
 */

/** How long a creation waits for a deletion that may be refused (contract §13). */
export const DELETION_PATIENCE_MS = 5_000;

/** What is to be written to is being deleted; the deletion may yet be refused. */
export class BeingDeleted extends ServiceError {
  constructor(detail: string) {
    super('CONFLICT', detail);
  }
}

/** What becomes of something that may be being deleted; `undecided` when the deletion has not ended in time. */
export type Fate = 'stays' | 'gone' | 'undecided';

/** Entities that may be being deleted. */
interface Needed {
  readonly collection: Pick<EntityCollection<Stored>, 'unmark'>;
  read(): Promise<readonly (Entity | undefined)[]>;
}

/**
 * The fate of entities that were needed by what has just been inserted: they stay while none is gone or being deleted. A mark that
 * is believed no more is taken off before its entity counts as staying, since its deletion may only have stood still.
 */
export async function fateOf(ctx: RequestContext, { collection, read }: Needed): Promise<Fate> {
  const until = performance.now() + DELETION_PATIENCE_MS;
  for (let pause = 5; ; pause = Math.min(pause * 1.5, 100)) {
    const entities = await read();
    if (entities.includes(undefined)) return 'gone';
    const marked = entities.flatMap((entity) => (entity && markOn(entity) ? [entity] : []));
    if (marked.length === 0) return 'stays';
    if (performance.now() > until) return 'undecided';
    for (const entity of marked) {
      const mark = isBeingDeleted(entity, ctx.sources.now()) ? undefined : markOn(entity);
      if (mark) await collection.unmark(mark);
    }
    await sleep(pause);
  }
}

/** What may only be done while nothing needs the entity. */
export interface GuardedChange<S extends Stored> {
  readonly collection: EntityCollection<S>;
  readonly entity: Entity;
  /** Throws while something needs the entity. */
  refuseInUse(): Promise<void>;
  /** Erases or changes the entity if it still has the mark; false when it does not, or another change came first. */
  change(mark: DeletionMark): Promise<boolean>;
}

/** Marks the entity, checks that nothing needs it, then changes it; false when another change came first. */
export async function changeUnlessInUse<S extends Stored>(
  ctx: RequestContext,
  { collection, entity, refuseInUse, change }: GuardedChange<S>,
): Promise<boolean> {
  const mark = deletionMarkOf(entity, ctx.sources.now());
  const unmark = () => collection.unmark(mark);
  try {
    if (!(await collection.markDeleting(mark))) return await otherChangeEnded(ctx, collection, entity);
    await refuseInUse();
    return await change(mark);
  } catch (error) {
    // Nobody waits for a database that has just failed.
    if (error instanceof ServiceError) await unmark().catch(() => void finishLater(unmark));
    else void finishLater(unmark);
    throw error;
  }
}

/** False as soon as no deletion of the entity is under way: what to do next is seen from what is there then. */
async function otherChangeEnded<S extends Stored>(
  ctx: RequestContext,
  collection: EntityCollection<S>,
  { id }: Entity,
): Promise<false> {
  const fate = await fateOf(ctx, { collection, read: async () => [await collection.byId(id)] });
  if (fate !== 'undecided') return false;
  throw new ServiceError('UNAVAILABLE', 'Another deletion of it has not ended; try again.', {
    headers: { 'Retry-After': '5' },
  });
}
