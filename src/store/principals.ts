import type { Collection, Db } from 'mongodb';

/** An API key as it is kept: its hash, never the key. */
export interface StoredKey {
  readonly _id: string;
  readonly kind: 'key';
  readonly hash: string;
  readonly tenant: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created_at: Date;
  readonly expires_at?: Date;
  readonly revoked_at?: Date;
  /** Demo keys are accepted in the demo environment only. */
  readonly demo?: boolean;
}

/** API keys, in the collection of all principals. */
export class PrincipalStore {
  readonly #collection: Collection<StoredKey>;

  constructor(db: Db) {
    this.#collection = db.collection('principals');
  }

  async findKey(hash: string): Promise<StoredKey | undefined> {
    return (await this.#collection.findOne({ kind: 'key', hash })) ?? undefined;
  }

  /** Writes a key; one of the same id is replaced. */
  async putKey(key: StoredKey): Promise<void> {
    await this.#collection.replaceOne({ _id: key._id }, key, { upsert: true });
  }

  async revokeKey(id: string, at: Date): Promise<boolean> {
    const { matchedCount } = await this.#collection.updateOne({ _id: id, kind: 'key' }, { $set: { revoked_at: at } });
    return matchedCount === 1;
  }

  keysOf(tenant: string): Promise<StoredKey[]> {
    return this.#collection.find({ kind: 'key', tenant }).sort({ created_at: 1 }).toArray();
  }
}
