import type { Collection } from 'mongodb';
import type { StoredVersion } from '../entities/versions.ts';
import { type Transaction, within } from '../transactions/transaction.ts';

/** How many superseded versions are given their expiry together at most, and of how many bytes: MongoDB writes each anew as a whole. */
const MOST_VERSIONS = 1_000;
const MOST_BYTES = 1_000_000;
/** How many versions MongoDB measures at a time. */
const MEASURED = 40;

/** The expiry of superseded versions, once their entities are deleted. */
export class VersionExpiry {
  readonly #versions: Collection<StoredVersion>;

  constructor(versions: Collection<StoredVersion>) {
    this.#versions = versions;
  }

  /**
   * Sets it for versions of the entities that have none, the newest of each first: for as many as one write may be, and for the first
   * however large it is. Whether these were all.
   */
  async setSome(entities: readonly string[], expires_at: Date, tx?: Transaction): Promise<boolean> {
    const { ids, isAll } = await this.#some(entities, tx);
    if (ids.length > 0) await this.#versions.updateMany({ _id: { $in: ids } }, { $set: { expires_at } }, within(tx));
    return isAll;
  }

  async #some(entities: readonly string[], tx?: Transaction) {
    const unlimited = { entity: { $in: [...entities] }, expires_at: { $exists: false } };
    const projection = { bytes: { $bsonSize: '$$ROOT' } };
    const options = { projection, sort: { entity: 1, revision: -1 }, batchSize: MEASURED, ...within(tx) } as const;
    const ids: string[] = [];
    let room = MOST_BYTES;
    for await (const { _id, bytes } of this.#versions.find<Measured>(unlimited, options)) {
      if (ids.length === MOST_VERSIONS || (ids.length > 0 && bytes > room)) return { ids, isAll: false };
      room -= bytes;
      ids.push(_id);
    }
    return { ids, isAll: true };
  }
}

interface Measured {
  readonly _id: string;
  readonly bytes: number;
}
