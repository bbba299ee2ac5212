import type { Collection, Db } from 'mongodb';
import { type Transaction, within } from '../transaction.ts';

/** The stored form of a session. */
export interface StoredSession {
  /** The hash of its token; the token itself is never stored. */
  readonly _id: string;
  readonly user: string;
  /** The password that it was begun with: with another one, the session has ended. */
  readonly password_id: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** Running sessions; MongoDB removes those that are over. */
export class SessionStore {
  readonly #collection: Collection<StoredSession>;

  constructor(db: Db) {
    this.#collection = db.collection('sessions');
  }

  async findOne(id: string): Promise<StoredSession | undefined> {
    return (await this.#collection.findOne({ _id: id })) ?? undefined;
  }

  async insert(session: StoredSession, tx?: Transaction): Promise<void> {
    await this.#collection.insertOne(session, within(tx));
  }

  async erase(id: string, tx?: Transaction): Promise<void> {
    await this.#collection.deleteOne({ _id: id }, within(tx));
  }

  /** Ends every session of a user. */
  async eraseOf(user: string, tx?: Transaction): Promise<void> {
    await this.#collection.deleteMany({ user }, within(tx));
  }
}
