import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import type { Entity, Stored } from '../../model/entity/entity.ts';
import { finishLater } from '../../store/connection/finish-later.ts';
import { type DeletionMark, deletionMarkOf, isBeingDeleted, markOn } from '../../store/entities/deletion-mark.ts';
import type { EntityCollection } from '../../store/entities/entity-collection.ts';
import type { RequestContext } from '../request/request-context.ts';

/*
 * How creations and deletions exclude each other. Nothing may be left without its dependencies, such as a document without its workspace,
 * or with a reference to a deleted record.
 *
 * A creation without a transaction inserts first and then checks that its dependencies stay (`fateOf`). A deletion first marks the
 * entity, then counts its dependents, then erases it (`changeUnlessInUse`). Whichever comes second sees the other. The creation undoes
 * its insert if a dependency is gone; a deletion in progress may yet be refused, so the creation waits for its outcome. Documents have no
 * mark, since their deletion is never refused: it erases first, then looks for children and attachments, whose creation in turn checks
 * for their document. The creation removes a mark that has expired, and a deletion erases only an entity that still carries its mark. A
 * record that is moved to another catalog is marked as if for deletion; to its dependents, it is gone.
 *
 * A creation in a transaction (bulk, workspaces, references to other records) writes to its dependencies instead
 * (`EntityCollection.fence`), so that either it or the deletion is retried and then sees the other.
 */

/** How long a creation waits for a deletion that may be refused (contract §13). */
export const DELETION_PATIENCE_MS = 5_000;

/** The target of a write is being deleted; the deletion may yet be refused. */
export class BeingDeleted extends ServiceError {
  constructor(detail: string) {
    super('CONFLICT', detail);
  }
}

/** The fate of an entity that may be under deletion; `undecided` if the deletion has not ended in time. */
export type Fate = 'stays' | 'gone' | 'undecided';

/** Entities that may be under deletion. */
interface Needed {
  readonly collection: Pick<EntityCollection<Stored>, 'unmark'>;
  read(): Promise<readonly (Entity | undefined)[]>;
}

/**
 * The fate of the dependencies of a new insert: they stay if none is gone or under deletion. An expired mark is removed before its entity
 * counts as staying, since its deletion may merely have stalled.
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

/** A change that is allowed only while nothing depends on the entity. */
interface GuardedChange<S extends Stored> {
  readonly collection: EntityCollection<S>;
  readonly entity: Entity;
  /** Throws if something depends on the entity. */
  refuseInUse(): Promise<void>;
  /** Erases or changes the entity if it still has the mark; false if it does not, or another change came first. */
  change(mark: DeletionMark): Promise<boolean>;
}

/** Marks the entity, checks that nothing depends on it, then changes it; false if another change came first. */
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
    // Do not wait for a database that has just failed.
    if (error instanceof ServiceError) await unmark().catch(() => void finishLater(unmark));
    else void finishLater(unmark);
    throw error;
  }
}

/** Waits until no deletion of the entity is in progress, then returns false: the caller decides again from the current state. */
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
