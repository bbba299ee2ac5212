import type { Collection, Db } from 'mongodb';
import type { Principal } from '../../model/principal.ts';
import { type Transaction, within } from '../transactions/transaction.ts';

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
  /** The prefix people recognize the key by; absent in keys of earlier versions. */
  readonly prefix?: string;
  /** When it was last used, to the minute. */
  readonly last_used_at?: Date;
  /** The key it replaced, which works until then. */
  readonly previous?: PreviousKey;
  /** Demo keys are accepted in the demo environment only. */
  readonly demo?: boolean;
}

/** A key that was rotated out. */
interface PreviousKey {
  readonly hash: string;
  readonly prefix?: string;
  readonly expires_at: Date;
  readonly last_used_at?: Date;
}

/** What a rotation changes. */
interface Rotation {
  readonly hash: string;
  readonly prefix: string;
  readonly expires_at: Date | null;
  readonly previous: PreviousKey;
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

  /** The key with that hash, current or previous. */
  async findKey(hash: string): Promise<StoredKey | undefined> {
    const current = { kind: 'key', hash } as const;
    const previous = { kind: 'key', 'previous.hash': hash } as const;
    return (await this.#collection.findOne({ $or: [current, previous] })) ?? undefined;
  }

  async keyOf(id: string, tx?: Transaction): Promise<StoredKey | undefined> {
    return (await this.#collection.findOne({ _id: id, kind: 'key' }, within(tx))) ?? undefined;
  }

  /** Replaces the hash of a key; false if the key has changed since it was read. */
  async rotateKey({ _id, hash }: StoredKey, { expires_at, ...set }: Rotation, tx: Transaction): Promise<boolean> {
    const change = {
      $set: { ...set, ...(expires_at && { expires_at }) },
      $unset: { last_used_at: true, ...(expires_at === null && ({ expires_at: true } as const)) } as const,
    };
    const { matchedCount } = await this.#collection.updateOne({ _id, kind: 'key', hash }, change, within(tx));
    return matchedCount === 1;
  }

  /** Records the use of a key; nothing waits for it, and a lost update does no harm. */
  noteUse(hash: string, { _id, hash: current }: StoredKey, at: Date): void {
    const [filter, field] =
      hash === current ? [{ _id, hash }, 'last_used_at'] : [{ _id, 'previous.hash': hash }, 'previous.last_used_at'];
    this.#collection.updateOne(filter, { $max: { [field]: at } }).catch(() => undefined);
  }

  /** Writes a key unless there is one with its id. */
  async putKey({ _id, ...key }: StoredKey, tx?: Transaction): Promise<void> {
    await this.#collection.updateOne({ _id }, { $setOnInsert: key }, { upsert: true, ...within(tx) });
  }

  /** Revokes a key unless it is revoked; returns it as it was, undefined if there is none with that id. */
  async revokeKey(id: string, at: Date, tx?: Transaction): Promise<StoredKey | undefined> {
    const revoked = [{ $set: { revoked_at: { $ifNull: ['$revoked_at', at] } } }];
    return (await this.#collection.findOneAndUpdate({ _id: id, kind: 'key' }, revoked, within(tx))) ?? undefined;
  }

  /** Keys and users by id, whatever their state. */
  async named(ids: readonly string[]): Promise<Principal[]> {
    const rows = await this.#collection
      .find({ _id: { $in: [...ids] } })
      .project<Named>({ name: 1, username: 1, tenant: 1 })
      .toArray();
    return rows.map(({ _id, name, username, tenant }) => ({ id: _id, name: name ?? username ?? '', tenant }));
  }

  /** The keys of a tenant, or of all, the oldest of each first. */
  keysOf(tenant?: string): Promise<StoredKey[]> {
    const filter = { kind: 'key', ...(tenant !== undefined && { tenant }) } as const;
    return this.#collection.find(filter).sort({ tenant: 1, created_at: 1 }).toArray();
  }
}
