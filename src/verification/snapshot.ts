import type { ClientSession, Db, Document, Filter, MongoClient } from 'mongodb';

/** The database at one moment: all reads see the same writes. */
export class Snapshot {
  readonly #db: Db;
  readonly #session: ClientSession;

  constructor(db: Db, session: ClientSession) {
    this.#db = db;
    this.#session = session;
  }

  /** The matching documents, with only `fields`. */
  find<T extends Document = Document>(name: string, filter: Filter<Document>, fields: readonly string[]): Promise<T[]> {
    const projection = Object.fromEntries(fields.map((field) => [field, 1]));
    return this.#db.collection(name).find<T>(filter, { projection, session: this.#session }).toArray();
  }

  /** At most `limit` whole documents after an id, in id order; fewer if they are large. */
  after<T extends Document>(name: string, id: string | undefined, limit: number): Promise<T[]> {
    const filter = (id === undefined ? {} : { _id: { $gt: id } }) as Filter<Document>;
    const options = { sort: { _id: 1 }, limit, singleBatch: true, session: this.#session } as const;
    return this.#db.collection(name).find<T>(filter, options).toArray();
  }

  /** The documents with these ids. */
  byIds<T extends Document>(name: string, ids: readonly string[]): Promise<T[]> {
    const filter = { _id: { $in: [...ids] } } as unknown as Filter<Document>;
    return this.#db.collection(name).find<T>(filter, { session: this.#session }).toArray();
  }

  /** The rows of an aggregation as they arrive. */
  stream<T extends Document>(name: string, stages: readonly Document[], batchSize?: number): AsyncIterable<T> {
    const options = { session: this.#session, allowDiskUse: true, ...(batchSize && { batchSize }) };
    return this.#db.collection(name).aggregate<T>([...stages], options);
  }
}

/** Runs the work on a snapshot of the database as of now; the work must be short enough for MongoDB to retain the snapshot. */
export function atOneMoment<T>(client: MongoClient, db: Db, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  return client.withSession({ snapshot: true }, (session) => work(new Snapshot(db, session)));
}
