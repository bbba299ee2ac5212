import { randomUUID } from 'node:crypto';
import type { Binary, ChangeStream, ClientSession, Collection, Db, Document, ResumeToken, Timestamp } from 'mongodb';
import type { Lease, Progress } from '../leases/lease.ts';

/** Where a change stream begins: behind a change, or at a time of MongoDB if there is no token. */
export type Place = Pick<Progress, 'token' | 'from'>;

/** Where a process continues to follow MongoDB's change stream. */
export interface ResumePoint extends Place {
  /** Everything that had happened by then has been processed. */
  readonly at?: Date;
  /** The last mark of `Freshness` that was passed. */
  readonly mark?: number;
  /** Changes with each transaction that does not move the point. */
  readonly step?: number;
  /** What is still to be looked at again because of what was written already. */
  readonly due?: readonly string[];
  /** Of what was written, what may still have to be told elsewhere. */
  readonly untold?: readonly string[];
  /** The last document that has been read, while everything is being rebuilt. */
  readonly rebuilt?: string | null;
  /** The last holder that says what its changes are about, where some do and some do not. */
  readonly teller?: string;
}

/** The same, with the process that may change it. */
export interface StoredResumePoint extends ResumePoint {
  readonly _id: string;
  readonly holder: string;
}

/** The changes from a place on. */
export const changesFrom = <C extends Document>(
  db: Db,
  pipeline: readonly Document[],
  { token, from }: Place,
): ChangeStream<Document, C> =>
  db.watch<Document, C>([...pipeline], {
    fullDocumentBeforeChange: 'whenAvailable',
    ...(token ? { startAfter: token } : from && { startAtOperationTime: from }),
  });

/** The text of a token: those of later changes come after those of earlier ones. */
export const textOf = (token: ResumeToken): string =>
  String((token as { readonly _data?: unknown } | undefined)?._data);

/** A position in MongoDB's oplog, and the time by MongoDB's clock. */
export interface Position {
  readonly from: Timestamp;
  readonly at: Date;
  /** Whether there is no other member that could be the primary by now. */
  readonly isOfOnlyMember: boolean;
}

/** The present position: behind everything that was written. */
export async function presentPosition(db: Db): Promise<Position> {
  const { operationTime, localTime, hosts = [], isWritablePrimary } = await db.command({ hello: 1 });
  return { from: operationTime, at: localTime, isOfOnlyMember: isWritablePrimary === true && hosts.length === 1 };
}

/** A change as far as its place in MongoDB's log goes. */
export interface PositionedChange {
  readonly _id: ResumeToken;
  readonly clusterTime?: Timestamp;
  readonly wallTime?: Date;
}

/** The resume point behind a change, with the last mark that was passed on the way to it. */
export function resumePointAfter(last: PositionedChange | undefined, mark: number | undefined): ResumePoint {
  const seconds = last?.clusterTime?.getHighBits();
  const at = last?.wallTime ?? (seconds === undefined ? undefined : new Date(seconds * 1_000));
  return { token: last?._id, ...(at && { at }), ...(mark !== undefined && { mark }) };
}

/** The collection of resume points. They are documents of their own, because a transaction must not hold a lease. */
export const resumePoints = (db: Db): Collection<StoredResumePoint> => db.collection('leases');

/** A resume point that one process owns: writes of a process that has lost it fail. */
export class OwnedResumePoint {
  readonly #points: Collection<StoredResumePoint>;
  readonly #own: { readonly _id: string; readonly holder: string };

  constructor(db: Db, name: string) {
    this.#points = resumePoints(db);
    this.#own = { _id: name, holder: randomUUID() };
  }

  get holder(): string {
    return this.#own.holder;
  }

  /** Takes it from its previous owner. */
  async claim(): Promise<ResumePoint> {
    const { _id, holder } = this.#own;
    const options = { upsert: true, returnDocument: 'after' } as const;
    return (await this.#points.findOneAndUpdate({ _id }, { $set: { holder } }, options)) ?? {};
  }

  /** False when another process owns it. */
  async save(point: ResumePoint, session?: ClientSession): Promise<boolean> {
    const options = session ? { session } : {};
    return (await this.#points.updateOne(this.#own, { $set: point }, options)).matchedCount === 1;
  }
}

/** Ends the transaction that the previous holder of a lease left open, which MongoDB would keep for a minute, and claims its resume point. */
export async function takeOver(
  db: Db,
  { session: before }: Progress,
  {
    lease,
    point,
    session,
  }: { readonly lease: Lease; readonly point: OwnedResumePoint; readonly session: ClientSession },
): Promise<ResumePoint> {
  const own = session.id?.id;
  if (before && !sameSession(before, own)) {
    const admin = db.client.db('admin');
    await admin.command({ killSessions: [{ id: before }] }).catch(() => undefined); // or it ends by itself
  }
  if (own) await lease.keep({ session: own });
  return point.claim();
}

const sameSession = (one: Binary, other: Binary | undefined): boolean => one.toString('hex') === other?.toString('hex');
