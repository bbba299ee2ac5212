import { randomUUID } from 'node:crypto';
import type { ClientSession, Collection, Db } from 'mongodb';
import type { Progress } from '../lease.ts';

/** How far statistics are kept. */
export interface Place extends Pick<Progress, 'token' | 'from'> {
  /** What had happened by then is in, once they are kept. */
  readonly at?: Date;
  /** The last mark of `StatisticsFreshness` that was passed. */
  readonly mark?: number;
  /** Changes with each transaction that moves no place. */
  readonly step?: number;
  /** What is still to be looked at again because of what was kept already. */
  readonly due?: readonly string[];
  /** The last document that has been read, where everything is being made anew. */
  readonly rebuilt?: string | null;
}

/** The same, with the process that may change it. */
export interface StoredPlace extends Place {
  readonly _id: string;
  readonly holder: string;
}

/** The document that says how far statistics are. It is apart from the lease, which a transaction must not hold. */
export const STATISTICS_PLACE = 'statistics';

export const placesOf = (db: Db): Collection<StoredPlace> => db.collection('leases');

/** The place as one process keeps it: changes of a process that no longer has it fail. */
export class HeldPlace {
  readonly #places: Collection<StoredPlace>;
  readonly #own: { readonly _id: string; readonly holder: string };

  constructor(db: Db, name = STATISTICS_PLACE) {
    this.#places = placesOf(db);
    this.#own = { _id: name, holder: randomUUID() };
  }

  /** Takes it from whoever had it. */
  async claim(): Promise<Place> {
    const { _id, holder } = this.#own;
    const options = { upsert: true, returnDocument: 'after' } as const;
    return (await this.#places.findOneAndUpdate({ _id }, { $set: { holder } }, options)) ?? {};
  }

  /** False when another process has it. */
  async keep(place: Place, session?: ClientSession): Promise<boolean> {
    const options = session ? { session } : {};
    return (await this.#places.updateOne(this.#own, { $set: place }, options)).matchedCount === 1;
  }
}
