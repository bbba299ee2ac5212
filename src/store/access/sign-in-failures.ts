import type { Collection, Db } from 'mongodb';

interface StoredFailures {
  readonly _id: string;
  /** When the newest of them were; the oldest first. */
  readonly failures: readonly Date[];
  readonly expires_at: Date;
}

const ALLOWED = 10;
const WINDOW_MS = 15 * 60_000;

/** Failed sign-ins by what they were tried with, for all gateways together (contract §11). */
export class SignInFailures {
  readonly #collection: Collection<StoredFailures>;

  constructor(db: Db) {
    this.#collection = db.collection('sign_in_failures');
  }

  /** For how many milliseconds one of these is blocked, since it failed ten times within 15 minutes; 0 when none is. */
  async blockedFor(ids: readonly string[], now: Date): Promise<number> {
    const found = await this.#collection.find({ _id: { $in: [...ids] } }).toArray();
    return Math.max(0, ...found.map((one) => remaining(one, now)));
  }

  /** Records a failure, and returns how long it was already blocked, because of concurrent failures. */
  async add(ids: readonly string[], now: Date): Promise<number> {
    const before = await Promise.all(ids.map((id) => this.#push(id, now)));
    return Math.max(0, ...before.map((one) => (one === null ? 0 : remaining(one, now))));
  }

  #push(_id: string, now: Date): Promise<StoredFailures | null> {
    const change = {
      $push: { failures: { $each: [now], $slice: -ALLOWED } },
      $set: { expires_at: new Date(now.getTime() + WINDOW_MS) },
    };
    return this.#collection.findOneAndUpdate({ _id }, change, { upsert: true, returnDocument: 'before' });
  }
}

function remaining({ failures }: StoredFailures, now: Date): number {
  const [oldest] = failures.slice(-ALLOWED);
  return oldest === undefined || failures.length < ALLOWED ? 0 : oldest.getTime() + WINDOW_MS - now.getTime();
}
