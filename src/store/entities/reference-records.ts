import type { Collection, Db, Document } from 'mongodb';
import type { Entity, StoredReferenceRecord } from '../../model/entity/entity.ts';
import { AGGREGATE_ROWS } from '../batching/find-command.ts';
import { longReadsOf } from '../connection/long-reads.ts';
import { type Transaction, within } from '../transactions/transaction.ts';
import { EntityCollection } from './entity-collection.ts';
import { checkSizes } from './entity-size.ts';
import type { Query, TimeLimit } from './query.ts';
import { RawEntity } from './read-entity.ts';
import type { StoredVersion } from './versions.ts';

/** The records of one type that belong to a tenant. */
interface OfTenant {
  readonly tenant: string;
  readonly type: string;
}

/** A shard of the count of a tenant's records of one type. */
interface StoredTotal extends OfTenant {
  readonly _id: string;
  readonly count: number;
}

/** The number of shards of a counter: creations incrementing different shards do not wait for each other. */
const PARTS = 64;

/** A place to search around, and how far. */
export interface Surroundings extends TimeLimit {
  readonly latitude: number;
  readonly longitude: number;
  /** In metres; unlimited if undefined. */
  readonly within: number | undefined;
  readonly limit: number;
}

/** The reference records of all tenants. They are never erased, so they can be counted on creation. */
export class ReferenceRecords extends EntityCollection<StoredReferenceRecord> {
  readonly #records: Collection<StoredReferenceRecord>;
  readonly #totals: Collection<StoredTotal>;

  constructor(db: Db) {
    const records = db.collection<StoredReferenceRecord>('reference_records');
    super(records, db.collection<StoredVersion>('versions'));
    this.#records = records;
    this.#totals = db.collection('reference_totals');
  }

  /** Adds and counts records of one tenant and type, atomically. */
  async add(records: readonly StoredReferenceRecord[], tx: Transaction): Promise<void> {
    const [first] = records;
    if (!first) return;
    const { tenant, type } = first;
    checkSizes(records);
    await this.#records.insertMany(records as never, within(tx));
    await this.#totals.updateOne(
      { _id: `${tenant}/${type}/${Math.floor(Math.random() * PARTS)}` },
      { $inc: { count: records.length }, $setOnInsert: { tenant, type } },
      { upsert: true, ...within(tx) },
    );
  }

  /** For a list of all records, the count kept on creation; otherwise they are counted now. */
  override async count(query: Query, time: TimeLimit = {}): Promise<number> {
    const { scope, conditions, containing } = query;
    if (conditions.length > 0 || containing) return super.count(query, time);
    const parts = await this.#totals.find({ ...scope }, { ...time, projection: { _id: 0, count: 1 } }).toArray();
    return parts.reduce((sum, { count }) => sum + count, 0);
  }

  /**
   * The records around a place, nearest first, each with its `distance` in metres. MongoDB sorts all those at about the same distance,
   * however few are wanted.
   */
  async near(scope: OfTenant, { latitude, longitude, within, limit, ...time }: Surroundings): Promise<Entity[]> {
    const geoNear: Document = {
      near: { type: 'Point', coordinates: [longitude, latitude] },
      key: 'position',
      query: { ...scope },
      distanceField: 'distance',
      spherical: true,
      ...(within !== undefined && { maxDistance: within }),
    };
    const stages = [{ $geoNear: geoNear }, { $limit: limit }];
    const rows = await longReadsOf(this.#records.db).run(scope.tenant, time, (left) =>
      this.#records.aggregate(stages, { ...left, ...AGGREGATE_ROWS, batchSize: limit + 1 }).toArray(),
    );
    return rows.map((row) => new RawEntity(row as unknown as Uint8Array));
  }
}
