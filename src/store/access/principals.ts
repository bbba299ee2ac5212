import type { Collection, Db } from 'mongodb';
import type { Principal } from '../../model/principal.ts';
import { type Transaction, within } from '../transaction.ts';

/** The stored form of an API key: its hash, never the key itself. */
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

interface Named {
  readonly _id: string;
  readonly name?: string;
  readonly username?: string;
  readonly tenant: string;
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
  async putKey(key: StoredKey, tx?: Transaction): Promise<void> {
    await this.#collection.replaceOne({ _id: key._id }, key, { upsert: true, ...within(tx) });
  }

  /** The key; undefined when there is none of that id. */
  async revokeKey(id: string, at: Date, tx?: Transaction): Promise<StoredKey | undefined> {
    const options = { returnDocument: 'after', ...within(tx) } as const;
    const revoked = { $set: { revoked_at: at } };
    return (await this.#collection.findOneAndUpdate({ _id: id, kind: 'key' }, revoked, options)) ?? undefined;
  }

  /** Keys and users by their ids, whatever has become of them. */
  async named(ids: readonly string[]): Promise<Principal[]> {
    const rows = await this.#collection
      .find({ _id: { $in: [...ids] } })
      .project<Named>({ name: 1, username: 1, tenant: 1 })
      .toArray();
    return rows.map(({ _id, name, username, tenant }) => ({ id: _id, name: name ?? username ?? '', tenant }));
  }

  keysOf(tenant: string): Promise<StoredKey[]> {
    return this.#collection.find({ kind: 'key', tenant }).sort({ created_at: 1 }).toArray();
  }
}
