import { randomUUID } from 'node:crypto';
import type { Binary, ChangeStream, ClientSession, Collection, Db, Document, ResumeToken, Timestamp } from 'mongodb';
import type { Lease, Progress } from '../leases/lease.ts';

/** Where a change stream starts: after a change, or at a MongoDB time if there is no token. */
export type Place = Pick<Progress, 'token' | 'from'>;

/** Where a process resumes following MongoDB's change stream. */
export interface ResumePoint extends Place {
  /** Everything that happened up to then has been processed. */
  readonly at?: Date;
  /** The last `Freshness` mark passed. */
  readonly mark?: number;
  /** Changes with each transaction that does not advance the resume point. */
  readonly step?: number;
  /** What must still be re-examined because of earlier writes. */
  readonly due?: readonly string[];
  /** Written items that may still have to be reported elsewhere. */
  readonly untold?: readonly string[];
  /** The last document read, during a rebuild. */
  readonly rebuilt?: string | null;
  /** The last holder that reports what its changes are about; not every holder does. */
  readonly teller?: string;
}

/** A resume point with the process that may change it. */
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

/** The text of a token; tokens of later changes sort after those of earlier ones. */
export const textOf = (token: ResumeToken): string =>
  String((token as { readonly _data?: unknown } | undefined)?._data);

/** A position in MongoDB's oplog, and the time by MongoDB's clock. */
interface Position {
  readonly from: Timestamp;
  readonly at: Date;
  /** Whether no other member could be the primary by now. */
  readonly isOfOnlyMember: boolean;
}

/** The current position, after everything written so far. */
export async function presentPosition(db: Db): Promise<Position> {
  const { operationTime, localTime, hosts = [], isWritablePrimary } = await db.command({ hello: 1 });
  return { from: operationTime, at: localTime, isOfOnlyMember: isWritablePrimary === true && hosts.length === 1 };
}

/** The part of a change that locates it in MongoDB's oplog. */
export interface PositionedChange {
  readonly _id: ResumeToken;
  readonly clusterTime?: Timestamp;
  readonly wallTime?: Date;
}

/** The resume point after a change, with the last mark passed on the way. */
export function resumePointAfter(last: PositionedChange | undefined, mark: number | undefined): ResumePoint {
  const seconds = last?.clusterTime?.getHighBits();
  const at = last?.wallTime ?? (seconds === undefined ? undefined : new Date(seconds * 1_000));
  return { token: last?._id, ...(at && { at }), ...(mark !== undefined && { mark }) };
}

/** The collection of resume points. They are separate documents, because a transaction must not hold a lease. */
export const resumePoints = (db: Db): Collection<StoredResumePoint> => db.collection('leases');

/** A resume point owned by one process: writes by a former owner fail. */
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

  /** Takes ownership from the previous owner. */
  async claim(): Promise<ResumePoint> {
    const { _id, holder } = this.#own;
    const options = { upsert: true, returnDocument: 'after' } as const;
    return (await this.#points.findOneAndUpdate({ _id }, { $set: { holder } }, options)) ?? {};
  }

  /** False if another process owns it. */
  async save(point: ResumePoint, session?: ClientSession): Promise<boolean> {
    const options = session ? { session } : {};
    return (await this.#points.updateOne(this.#own, { $set: point }, options)).matchedCount === 1;
  }
}

/** Ends the transaction a previous lease holder left open, which MongoDB would keep for a minute, and claims its resume point. */
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
    await admin.command({ killSessions: [{ id: before }] }).catch(() => undefined); // otherwise it times out by itself
  }
  if (own) await lease.keep({ session: own });
  return point.claim();
}

const sameSession = (one: Binary, other: Binary | undefined): boolean => one.toString('hex') === other?.toString('hex');
