import { randomUUID } from 'node:crypto';
import type { Binary, ChangeStream, ClientSession, Collection, Db, Document, ResumeToken, Timestamp } from 'mongodb';
import type { Lease, Progress } from '../lease.ts';

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

/** The changes from a place on. */
export const changesFrom = <C extends Document>(
  db: Db,
  pipeline: Document[],
  { token, from }: Place,
): ChangeStream<Document, C> =>
  db.watch<Document, C>(pipeline, {
    fullDocumentBeforeChange: 'whenAvailable',
    ...(token ? { startAfter: token } : from && { startAtOperationTime: from }),
  });

/** The present place in MongoDB's log, and the time by MongoDB's clock. */
export async function presentPlace(db: Db): Promise<{ readonly from: Timestamp; readonly at: Date }> {
  const { operationTime, localTime } = await db.command({ hello: 1 });
  return { from: operationTime, at: localTime };
}

interface PlacedChange {
  readonly _id: ResumeToken;
  readonly clusterTime?: Timestamp;
  readonly wallTime?: Date;
}

/** The place behind a change, and the last mark that was passed on the way to it. */
export function placeAfter(last: PlacedChange | undefined, mark: number | undefined): Place {
  const seconds = last?.clusterTime?.getHighBits();
  const at = last?.wallTime ?? (seconds === undefined ? undefined : new Date(seconds * 1_000));
  return { token: last?._id, ...(at && { at }), ...(mark !== undefined && { mark }) };
}

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

/** Ends what the holder of a lease before has left behind, which MongoDB would hold for a minute, and takes its place. */
export async function takeOverPlace(
  db: Db,
  { session: before }: Progress,
  { lease, place, session }: { readonly lease: Lease; readonly place: HeldPlace; readonly session: ClientSession },
): Promise<Place> {
  const own = session.id?.id;
  if (before && !sameSession(before, own)) {
    const admin = db.client.db('admin');
    await admin.command({ killSessions: [{ id: before }] }).catch(() => undefined); // or it ends by itself
  }
  if (own) await lease.keep({ session: own });
  return place.claim();
}

const sameSession = (one: Binary, other: Binary | undefined): boolean => one.toString('hex') === other?.toString('hex');
