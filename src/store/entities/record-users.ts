import { BSONRegExp, type Db, type Document } from 'mongodb';
import { JOB_TYPE } from '../../model/document-types/job.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { AGGREGATE_ROWS } from '../batching/find-command.ts';
import { literally, type TimeLimit } from './query.ts';
import { readAll } from './row-reader.ts';

/** A document that refers to a record. */
export interface User {
  readonly record: string;
  readonly user: Entity;
}

/** How many of each record at most. */
type NewestOfEach = TimeLimit & { readonly limit: number };

/** The activities that are voyages. */
export const VOYAGES = ['load', 'discharge'] as const;

/** Documents of one type in some workspaces. */
export interface UserScope {
  readonly workspaces: readonly (string | null)[];
  readonly type: string;
  readonly readers: string;
}

/** The trips of vessels. */
export interface TripScope extends Omit<UserScope, 'type'> {
  /** In small letters, without spaces around. */
  readonly trips: readonly string[];
}

/** The documents that refer to records. */
export class RecordUsers {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** The newest documents of one type that refer to each of the records, with the id of the record. */
  newest(records: readonly string[], { workspaces, ...match }: UserScope, window: NewestOfEach): Promise<User[]> {
    return this.#newest(records, { field: 'refs', match: { workspace: { $in: [...workspaces] }, ...match } }, window);
  }

  /** The newest loadings and discharges of each vessel on any of the trips, however their numbers are written. */
  onTrips(records: readonly string[], { workspaces, readers, trips }: TripScope, window: NewestOfEach) {
    const match = {
      ...{ workspace: { $in: [...workspaces] }, type: JOB_TYPE, readers },
      ...{ 'body.activity': { $in: [...VOYAGES] }, 'body.tripNumber': { $in: trips.flatMap(spellingsOfTrip) } },
    };
    return this.#newest(records, { field: 'body.transports', match }, window);
  }

  async #newest(
    records: readonly string[],
    { field, match }: { readonly field: string; readonly match: Document },
    { limit, ...time }: NewestOfEach,
  ): Promise<User[]> {
    const stages = [
      { $match: { _id: { $in: [...records] } } },
      { $project: { _id: 1 } },
      {
        $lookup: {
          from: 'documents',
          localField: '_id',
          foreignField: field,
          pipeline: [{ $match: match }, { $sort: { created_at: -1, _id: 1 } }, { $limit: limit }],
          as: 'found',
        },
      },
      { $unwind: '$found' },
      { $replaceRoot: { newRoot: { $mergeObjects: ['$found', { referred: '$_id' }] } } },
    ];
    const options = { ...time, ...AGGREGATE_ROWS, batchSize: 1_000 };
    const users = await readAll(this.#db.collection<{ _id: string }>('catalog_records').aggregate(stages, options));
    return users.map((user) => ({ record: String(user.stored('referred')), user }));
  }
}

/** The texts that are this trip, and the number where it is one. */
const spellingsOfTrip = (trip: string): (BSONRegExp | number)[] => [
  new BSONRegExp(`^[\\s\\p{Z}]*${literally(trip)}[\\s\\p{Z}]*$`, 'i'),
  ...(String(Number(trip)) === trip ? [Number(trip)] : []),
];
