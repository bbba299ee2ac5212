import type { Collection } from 'mongodb';
import type { StoredVersion } from '../entities/versions.ts';
import { type Transaction, within } from '../transactions/transaction.ts';

/** The most superseded versions, and bytes of them, that get their expiry in one write: MongoDB rewrites each in full. */
const MOST_VERSIONS = 1_000;
const MOST_BYTES = 1_000_000;
/** How many versions MongoDB measures at a time. */
const MEASURED = 40;

/** Sets the expiry of superseded versions of deleted entities. */
export class VersionExpiry {
  readonly #versions: Collection<StoredVersion>;

  constructor(versions: Collection<StoredVersion>) {
    this.#versions = versions;
  }

  /**
   * Sets the expiry of versions that lack one, newest of each first: as many as fit into one write, but at least the first, however
   * large. Returns whether these were all.
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
