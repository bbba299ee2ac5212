import { ServiceError, unmet } from '../../errors.ts';
import type { Entity, Stored } from '../../model/entity/entity.ts';
import type { JsonObject } from '../../model/json.ts';
import { finishLater } from '../../store/connection/finish-later.ts';
import { duplicateKeyIndex } from '../../store/duplicate-key.ts';
import type { EntityCollection } from '../../store/entities/entity-collection.ts';
import type { Match } from '../../store/entities/match.ts';
import type { Transaction } from '../../store/transactions/transaction.ts';
import type { RequestContext } from '../request/request-context.ts';
import { inTurn, PATIENCE_MS, tooManyAtOnce } from './in-turn.ts';

/** The preconditions of a change; each is optional. */
export interface Expectation {
  /** Versions, one of which must be current (If-Match), or "*" for any; otherwise PRECONDITION_FAILED. */
  readonly expectedVersion?: readonly string[] | null | undefined;
  /** Versions, none of which may be current (If-None-Match), or "*" for any; otherwise PRECONDITION_FAILED. */
  readonly unlessVersion?: readonly string[] | null | undefined;
  /** The current version, or null for "never changed" (previous_version_id); otherwise VERSION_CONFLICT. */
  readonly previousVersion?: string | null | undefined;
}

/** Throws if the current version does not meet the caller's expectation. */
export function checkMatch(versionId: string, { expectedVersion, unlessVersion }: Expectation): void {
  const isCurrent = (version: string): boolean => version === '*' || version === versionId;
  if (expectedVersion && !expectedVersion.some(isCurrent)) {
    throw unmet('PRECONDITION_FAILED', 'expectedVersion', `does not name the current version, ${versionId}.`);
  }
  if (unlessVersion?.some(isCurrent)) {
    throw unmet('PRECONDITION_FAILED', 'unlessVersion', `names the current version, ${versionId}.`);
  }
}

/** Throws if the entity does not meet the caller's expectation of its version. */
export function checkVersion(entity: Entity, expectation: Expectation): void {
  checkMatch(entity.versionId, expectation);
  const { previousVersion } = expectation;
  if (previousVersion === undefined) return;
  const fits = previousVersion === null ? entity.revision === 1 : previousVersion === entity.versionId;
  if (fits) return;
  const current = `is not the current version: that is ${entity.versionId}, number ${entity.revision}.`;
  throw unmet('VERSION_CONFLICT', 'previousVersion', current);
}

/** The parts of an entity's first version. */
interface FirstVersion {
  readonly id: string;
  readonly type: string;
  readonly workspace: string | null;
  readonly readers: readonly string[];
  readonly parent?: string | null;
  readonly body: JsonObject;
}

/** The envelope of a new entity. */
export function firstVersion({ viewer, sources }: RequestContext, made: FirstVersion): Stored {
  const now = sources.now();
  return {
    _id: made.id,
    workspace: made.workspace,
    type: made.type,
    readers: made.readers,
    version_id: sources.newId(),
    revision: 1,
    parent_id: made.parent ?? null,
    sender: viewer.tenant,
    created_by: viewer.id,
    created_at: now,
    modified_by: viewer.id,
    modified_at: now,
    body: made.body,
    ...(sources.attempt !== undefined && { attempt: sources.attempt }),
  };
}

/** The envelope of an entity's next version. */
export function nextVersion({ viewer, sources }: RequestContext, before: Entity, body: JsonObject): Stored {
  const sender = before.stored('sender');
  return {
    _id: before.id,
    workspace: before.partition,
    type: before.type,
    readers: before.readers,
    version_id: sources.newId(),
    revision: before.revision + 1,
    parent_id: before.parentId,
    ...(typeof sender === 'string' && { sender }),
    created_by: before.createdBy,
    created_at: before.createdAt,
    modified_by: viewer.id,
    modified_at: sources.now(),
    body,
  };
}

/**
 * Retries a change of an entity until no other change interferes between its read and its write; an `undefined` outcome requests another
 * attempt. After a conflict, changes within one process continue in turn, and new ones wait for them.
 */
export async function retryOnConflict<T>(
  ctx: RequestContext,
  id: string,
  attempt: () => Promise<T | undefined>,
): Promise<T> {
  if (!ctx.turns.isTaken(id)) {
    const outcome = await attempt();
    if (outcome !== undefined) return outcome;
  }
  const until = performance.now() + PATIENCE_MS;
  return inTurn(ctx, [id], async () => {
    do {
      const outcome = await attempt();
      if (outcome !== undefined) return outcome;
    } while (performance.now() < until);
    throw tooManyAtOnce();
  });
}

/** New entities, identified by ids that every attempt of their request derives. */
interface MadeOnce<S extends Stored> {
  readonly collection: EntityCollection<S>;
  readonly ids: readonly string[];
  /** Erases the matching entities with their dependents; only the entities if omitted. */
  readonly takeBack?: ((own: Match, tx: Transaction) => Promise<unknown>) | undefined;
}

/** Like `MadeOnce`, for one entity. */
interface Made<S extends Stored> extends Pick<MadeOnce<S>, 'collection' | 'takeBack'> {
  readonly id: string;
  /** Checks an entity that an earlier attempt wrote but could not check: true if it stays. Omitted if nothing can remove it. */
  readonly stays?: (entity: Entity) => Promise<boolean>;
}

/**
 * Creates an entity once: a request repeated with its Idempotency-Key finds an earlier attempt's entity and takes it over, so that the
 * earlier attempt can no longer remove it. An insert that conflicts with a concurrent attempt then finds that attempt's entity.
 */
export async function createIdempotently<S extends Stored, T extends Entity>(
  ctx: RequestContext,
  { collection, id, takeBack, stays = async () => true }: Made<S>,
  make: () => Promise<T>,
): Promise<Entity> {
  const { attempt, mayHaveRun } = ctx.sources;
  if (attempt === undefined) return make();
  const adopted = async () => {
    const entity = await collection.adopt(id, attempt);
    return entity && (await stays(entity)) ? entity : undefined;
  };
  const found = mayHaveRun?.() ? await adopted() : undefined;
  if (found) return found;
  try {
    return await notAgain(ctx, { collection, ids: [id], takeBack }, make);
  } catch (error) {
    const late = isConflict(error) ? await adopted() : undefined;
    if (late) return late;
    throw error;
  }
}

/**
 * Creates entities, unless the request is so late that another attempt may have taken over its key and created them, and they have since
 * been deleted: then they are not recreated; CONFLICT. Checked before and after, since the request may stall in between; anything
 * inserted by then is undone.
 */
export async function notAgain<S extends Stored, T>(
  ctx: RequestContext,
  { collection, ids, takeBack = (own, tx) => collection.erase(own, tx) }: MadeOnce<S>,
  make: () => Promise<T>,
): Promise<T> {
  const { attempt, isLate } = ctx.sources;
  const { tombstones, transaction } = ctx.writeStores();
  const isAgain = async (): Promise<boolean> => {
    if (attempt === undefined || !isLate?.() || !(await tombstones.hasAny({ _id: ids }))) return false;
    await transaction((tx) => takeBack({ _id: ids, attempt }, tx));
    return true;
  };
  const refuse = async () => {
    if (!(await isAgain())) return;
    throw new ServiceError('CONFLICT', 'It was created before under this Idempotency-Key, and has been deleted since.');
  };
  await refuse();
  try {
    const made = await make();
    await refuse();
    return made;
  } catch (error) {
    if (isLate?.()) void finishLater(isAgain);
    throw error;
  }
}

/** An entity created by an attempt, at the version it wrote. */
interface Own {
  readonly id: string;
  readonly versionId: string;
}

/**
 * Removes what this attempt created before success was reported; returns the number of entities erased, 0 if another attempt has taken
 * over the entity or it was changed. Runs in a transaction, so that a removal with an unknown outcome either happens before another
 * attempt finds the entity, or never.
 */
export async function undoInsert<S extends Stored>(
  ctx: RequestContext,
  collection: EntityCollection<S>,
  { id, versionId }: Own,
): Promise<number> {
  const { attempt } = ctx.sources;
  const own = { _id: id, version_id: versionId, ...(attempt !== undefined && { attempt }) };
  return ctx.writeStores().transaction((tx) => collection.erase(own, tx));
}

const isConflict = (error: unknown): boolean =>
  duplicateKeyIndex(error) !== undefined || (error instanceof ServiceError && error.status === 409);
