import type { Collection, Db } from 'mongodb';
import type { JsonObject } from '../../model/json.ts';
import type { TimeLimit } from './query.ts';

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

/** Superseded versions of one entity, by their numbers; both ends are included. */
export interface VersionRange {
  readonly entity: string;
  readonly from: number;
  readonly to: number;
}

/** The superseded versions of entities of every kind. */
export class VersionStore {
  readonly #collection: Collection<StoredVersion>;

  constructor(db: Db) {
    this.#collection = db.collection('versions');
  }

  /** The number of a superseded version; undefined when there is none of that id. */
  async numberOf(id: string): Promise<number | undefined> {
    return (await this.#collection.findOne({ _id: id }, { projection: { revision: 1 } }))?.revision;
  }

  /** The versions in any of the ranges; one call for all of them. */
  async find(ranges: readonly VersionRange[], time: TimeLimit): Promise<StoredVersion[]> {
    if (ranges.length === 0) return [];
    const $or = ranges.map(({ entity, from, to }) => ({ entity, revision: { $gte: from, $lte: to } }));
    return this.#collection.find({ $or }, { ...time, batchSize: 1_000 }).toArray();
  }
}
