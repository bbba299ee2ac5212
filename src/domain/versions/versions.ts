import { ServiceError } from '../../errors.ts';
import type { Entity, Stored } from '../../model/entity/entity.ts';
import type { JsonObject } from '../../model/json.ts';
import { duplicateKeyIndex } from '../../store/duplicate-key.ts';
import type { EntityCollection } from '../../store/entities/entity-collection.ts';
import type { RequestContext } from '../request/request-context.ts';

/** What a caller believes the current version to be; each part may be left out. */
export interface Expectation {
  /** Versions any of which may be current (If-Match), "*" for any at all; else it is PRECONDITION_FAILED. */
  readonly expectedVersion?: readonly string[] | null | undefined;
  /** Versions none of which may be current (If-None-Match), "*" for any at all; else it is PRECONDITION_FAILED. */
  readonly unlessVersion?: readonly string[] | null | undefined;
  /** The current version, or null for "never changed" (previous_version_id); anything else is VERSION_CONFLICT. */
  readonly previousVersion?: string | null | undefined;
}

/** Throws when the entity is not at the version that the caller expects. */
export function checkVersion(entity: Entity, { expectedVersion, unlessVersion, previousVersion }: Expectation): void {
  const isCurrent = (version: string): boolean => version === '*' || version === entity.versionId;
  if (expectedVersion && !expectedVersion.some(isCurrent)) {
    throw new ServiceError('PRECONDITION_FAILED', `If-Match does not name the current version, ${entity.versionId}.`);
  }
  if (unlessVersion?.some(isCurrent)) {
    throw new ServiceError('PRECONDITION_FAILED', `If-None-Match names the current version, ${entity.versionId}.`);
  }
  if (previousVersion === undefined) return;
  const fits = previousVersion === null ? entity.revision === 1 : previousVersion === entity.versionId;
  if (!fits) {
    throw new ServiceError(
      'VERSION_CONFLICT',
      `previous_version_id is not the current version: that is ${entity.versionId}, number ${entity.revision}.`,
    );
  }
}

/** What the first version of an entity is made of. */
export interface FirstVersion {
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
    workspace: before.home,
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

const ATTEMPTS = 50;

/** Repeats a change until no other change came between its reading and its writing; `undefined` asks for another try. */
export async function retryOnConflict<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let i = 0; i < ATTEMPTS; i++) {
    const outcome = await attempt();
    if (outcome !== undefined) return outcome;
  }
  throw new ServiceError('CONFLICT', 'The entity is being changed by too many requests at once. Try again.');
}

/** A new entity by the id that every try of its request gives it. */
export interface Made {
  readonly collection: Adopting;
  readonly id: string;
  /** What an earlier try wrote and had no time to look after: true when it stays. Left out where nothing can take it away. */
  readonly stays?: (entity: Entity) => Promise<boolean>;
}

interface Adopting {
  adopt(id: string, attempt: string): Promise<Entity | undefined>;
}

/**
 * Makes a new entity once: a request that runs again under its Idempotency-Key finds what an earlier try made, and takes
 * it over, so that the earlier try cannot take it back any more. An insert that meets what an earlier try wrote at the
 * same moment finds it after.
 */
export async function createIdempotently<T extends Entity>(
  { sources: { attempt } }: RequestContext,
  { collection, id, stays = async () => true }: Made,
  make: () => Promise<T>,
): Promise<Entity> {
  if (attempt === undefined) return make();
  const adopted = async () => {
    const entity = await collection.adopt(id, attempt);
    return entity && (await stays(entity)) ? entity : undefined;
  };
  const found = await adopted();
  if (found) return found;
  try {
    return await make();
  } catch (error) {
    const late = isConflict(error) ? await adopted() : undefined;
    if (late) return late;
    throw error;
  }
}

/** What a try made, by the version that it made it in. */
export interface Own {
  readonly id: string;
  readonly versionId: string;
}

/**
 * Takes back what this try made, before anyone was told that it is stored: the number of entities erased, none where it
 * is another try's by now or was changed. In a transaction, so that one whose answer is lost is either done before
 * another try finds the entity, or never.
 */
export async function takeBack<S extends Stored>(
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
