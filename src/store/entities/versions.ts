import type { Collection, Db } from 'mongodb';
import type { Entity } from '../../model/entity/entity.ts';
import type { JsonObject } from '../../model/json.ts';
import { EntitiesById } from '../batching/entities-by-id.ts';
import { type Transaction, within } from '../transactions/transaction.ts';
import type { TimeLimit } from './query.ts';
import type { RawEntity } from './read-entity.ts';
import { readById } from './row-reader.ts';

/** A superseded version, stored under its own id. */
export interface StoredVersion {
  readonly _id: string;
  readonly entity: string;
  readonly workspace: string | null;
  readonly revision: number;
  readonly modified_by: string;
  readonly modified_at: Date;
  readonly body: JsonObject;
  /** Set when the entity was deleted. */
  readonly expires_at?: Date;
}

/** What is stored of a version when it is superseded. */
export const versionOf = (entity: Entity): StoredVersion => ({
  _id: entity.versionId,
  entity: entity.id,
  workspace: entity.partition,
  revision: entity.revision,
  modified_by: entity.modifiedBy,
  modified_at: entity.modifiedAt,
  body: entity.content(),
});

/** Removes the stored version of a deleted entity, unless its tombstone covers it because the entity was deleted at a later version. */
export async function removeUnknown(
  versions: Collection<StoredVersion>,
  { id, versionId, revision }: Entity,
  tx?: Transaction,
): Promise<void> {
  const tombstones = versions.db.collection<{ _id: string }>('tombstones');
  if ((await tombstones.countDocuments({ _id: id, revision: { $gt: revision } }, within(tx))) > 0) return;
  await versions.deleteOne({ _id: versionId, expires_at: { $exists: false } }, within(tx));
}

/** A version without its body: who created it, and when. */
type VersionHead = Omit<StoredVersion, 'body'>;

/** Superseded versions of one entity, by number; both ends are inclusive. */
interface VersionRange {
  readonly entity: string;
  readonly from: number;
  readonly to: number;
}

/** The superseded versions of entities of every kind. */
export class VersionStore {
  readonly #collection: Collection<StoredVersion>;
  readonly #byId: EntitiesById;

  constructor(db: Db) {
    this.#collection = db.collection('versions');
    this.#byId = new EntitiesById(readById(this.#collection));
  }

  /** The number of a superseded version; undefined if there is none with that id. */
  async numberOf(id: string): Promise<number | undefined> {
    return (await this.#collection.findOne({ _id: id }, { projection: { revision: 1 } }))?.revision;
  }

  /** The versions in any of the ranges, without bodies, in one call. */
  async find(ranges: readonly VersionRange[], time: TimeLimit): Promise<VersionHead[]> {
    if (ranges.length === 0) return [];
    const $or = ranges.map(({ entity, from, to }) => ({ entity, revision: { $gte: from, $lte: to } }));
    return this.#collection
      .find<VersionHead>({ $or }, { ...time, projection: { body: 0 }, batchSize: 1_000 })
      .toArray();
  }

  /** Versions with bodies, in the order of the ids; TOO_LARGE if they are too large together. */
  withBodies(ids: readonly string[]): Promise<(RawEntity | undefined)[]> {
    return this.#byId.many(ids);
  }
}
