import type { Collection, Db } from 'mongodb';
import { type Transaction, within } from '../transactions/transaction.ts';

/** The stored form of a session. */
export interface StoredSession {
  /** The hash of its token; the token itself is never stored. */
  readonly _id: string;
  readonly user: string;
  /** The password it was started with: once that changes, the session has ended. */
  readonly password_id: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  /** When it was last looked up; absent in sessions of earlier versions, like the two below. */
  readonly used_at?: Date;
  readonly address?: string | null;
  readonly agent?: string | null;
}

/** The most sessions of a user. */
const MOST = 100;
/** The most sessions that one transaction ends. */
const ENDED_AT_ONCE = 1_000;

const NEWEST_FIRST = { created_at: -1, _id: 1 } as const;

/** Active sessions; MongoDB removes expired ones. */
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

  /** Ends every session of a user, except `except` if given. */
  async eraseOf(user: string, { tx, except }: { readonly tx?: Transaction; readonly except?: string | undefined }) {
    await this.#collection.deleteMany({ user, ...(except !== undefined && { _id: { $ne: except } }) }, within(tx));
  }

  /** Ends the oldest sessions of a user who has more than 100; returns their ids. */
  async eraseOldest(user: string, tx: Transaction): Promise<string[]> {
    const oldest = this.#collection
      .find({ user }, { ...within(tx), projection: { _id: 1 } })
      .sort(NEWEST_FIRST)
      .skip(MOST)
      .limit(ENDED_AT_ONCE);
    const ids = (await oldest.toArray()).map(({ _id }) => _id);
    if (ids.length > 0) await this.#collection.deleteMany({ _id: { $in: ids } }, within(tx));
    return ids;
  }

  /** A user's newest 100 unexpired sessions, newest first. */
  listOf(user: string, now: Date): Promise<StoredSession[]> {
    return this.#collection
      .find({ user, expires_at: { $gt: now } })
      .sort(NEWEST_FIRST)
      .limit(MOST)
      .toArray();
  }

  /** Keeps a session alive under a new password. */
  async adopt(id: string, passwordId: string, tx: Transaction): Promise<void> {
    await this.#collection.updateOne({ _id: id }, { $set: { password_id: passwordId } }, within(tx));
  }

  /** Records the use of a session; nothing waits for it, and a lost update does no harm. */
  noteUse(id: string, at: Date): void {
    this.#collection.updateOne({ _id: id }, { $max: { used_at: at } }).catch(() => undefined);
  }

  /** Removes an ended session in the background. */
  eraseLater(id: string): void {
    this.erase(id).catch(() => undefined);
  }
}
