import type { Collection, Db } from 'mongodb';
import { usernameKey } from '../../model/session.ts';
import { type Transaction, within } from '../transactions/transaction.ts';

/** The stored form of a user who signs in with a password. */
export interface StoredUser {
  readonly _id: string;
  readonly kind: 'user';
  readonly username: string;
  /** The normalized form in which usernames are compared. */
  readonly username_key: string;
  /** Hashed by scrypt; see auth/passwords.ts. */
  readonly password: string;
  /** Changes with every change of the password. */
  readonly password_id: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly created_at: Date;
  readonly disabled_at?: Date;
  /** Demo users can sign in in the demo environment only. */
  readonly demo?: boolean;
}

/** A user's mutable fields; `disabled_at: null` re-enables sign-in. */
export interface UserChange {
  readonly password?: string;
  readonly password_id?: string;
  readonly disabled_at?: Date | null;
}

/** Users, in the collection of all principals. */
export class UserStore {
  readonly #collection: Collection<StoredUser>;

  constructor(db: Db) {
    this.#collection = db.collection('principals');
  }

  async findOne(id: string): Promise<StoredUser | undefined> {
    return (await this.#collection.findOne({ _id: id, kind: 'user' })) ?? undefined;
  }

  async findNamed(username: string): Promise<StoredUser | undefined> {
    return (await this.#collection.findOne({ kind: 'user', username_key: usernameKey(username) })) ?? undefined;
  }

  async insert(user: StoredUser, tx?: Transaction): Promise<void> {
    await this.#collection.insertOne(user, within(tx));
  }

  /** Writes a user unless there is one with its id. */
  async put({ _id, ...user }: StoredUser): Promise<void> {
    await this.#collection.updateOne({ _id }, { $setOnInsert: user }, { upsert: true });
  }

  /** The updated user; undefined if there is none of that name. */
  async update(
    username: string,
    { disabled_at, ...set }: UserChange,
    tx?: Transaction,
  ): Promise<StoredUser | undefined> {
    const change = {
      $set: { ...set, ...(disabled_at && { disabled_at }) },
      ...(disabled_at === null && { $unset: { disabled_at: true } as const }),
    };
    const named = { kind: 'user', username_key: usernameKey(username) } as const;
    const options = { returnDocument: 'after', ...within(tx) } as const;
    return (await this.#collection.findOneAndUpdate(named, change, options)) ?? undefined;
  }

  /** Changes the password; false if it has changed since the user was read. */
  async replacePassword(
    { _id, password_id }: StoredUser,
    changed: Required<Pick<UserChange, 'password' | 'password_id'>>,
    tx: Transaction,
  ): Promise<boolean> {
    const asRead = { _id, kind: 'user', password_id } as const;
    const { matchedCount } = await this.#collection.updateOne(asRead, { $set: changed }, within(tx));
    return matchedCount === 1;
  }

  listOf(tenant: string): Promise<StoredUser[]> {
    return this.#collection.find({ kind: 'user', tenant }).sort({ created_at: 1 }).toArray();
  }
}
