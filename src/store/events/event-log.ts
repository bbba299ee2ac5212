import type { Collection, Db, Filter } from 'mongodb';
import type { DocumentEvent } from '../../model/entity/event.ts';
import type { StoredLease } from '../lease.ts';

/** An event before it has its place among the others. */
export type NewEvent = Omit<DocumentEvent, 'sequence'>;

interface StoredEvent extends DocumentEvent {
  /** When MongoDB removes it. */
  readonly expires_at: Date;
}

/** What somebody follows: the events of one workspace or of all, of some types or of all, that a tenant may see. */
export interface Followed {
  readonly readers: string;
  readonly workspace?: string | undefined;
  readonly types?: readonly string[] | undefined;
}

/** The lease of the one process that writes events. */
export const EVENTS_LEASE = 'events';

/** Where events are written. */
export interface EventPlace {
  /** The last sequence that was given. */
  readonly after: number;
  /** How long they are kept, for those who were away. */
  readonly keptMs: number;
}

/** The events that are kept, in their order. */
export class EventLog {
  readonly #collection: Collection<StoredEvent>;
  readonly #leases: Collection<StoredLease>;

  constructor(db: Db) {
    const options = { readConcern: { level: 'majority' } } as const;
    this.#collection = db.collection('events', options);
    this.#leases = db.collection('leases', options);
  }

  /** The sequence of the newest event, also when it is no longer kept; 0 when there never was one. */
  async latest(): Promise<number> {
    const options = { sort: { sequence: -1 }, projection: { sequence: 1 } } as const;
    const [newest, lease] = await Promise.all([
      this.#collection.findOne({}, options),
      this.#leases.findOne({ _id: EVENTS_LEASE }, { projection: { last: 1 } }),
    ]);
    return Math.max(newest?.sequence ?? 0, lease?.last ?? 0);
  }

  /** The sequence of the first event after a place that is still kept; undefined when there is none. */
  async next(sequence: number): Promise<number | undefined> {
    return (await this.after(sequence, 1))[0]?.sequence;
  }

  /** When the newest event happened. */
  async latestTime(): Promise<Date | undefined> {
    return (await this.#collection.findOne({}, { sort: { sequence: -1 }, projection: { at: 1 } }))?.at;
  }

  /** At most `limit` events after a place, in their order. */
  after(sequence: number, limit: number, followed?: Followed): Promise<DocumentEvent[]> {
    const filter: Filter<StoredEvent> = {
      ...(followed && { readers: followed.readers }),
      ...(followed?.workspace && { workspace: followed.workspace }),
      ...(followed?.types && { type: { $in: [...followed.types] } }),
      sequence: { $gt: sequence },
    };
    return this.#collection
      .find(filter, { projection: { expires_at: 0 } })
      .sort({ sequence: 1 })
      .limit(limit)
      .toArray();
  }

  /** The newest event of a document. */
  async newestOf(document: string): Promise<DocumentEvent | undefined> {
    const ofDocument = { _id: { $gte: `${document} `, $lt: `${document}!` } };
    return (await this.#collection.findOne(ofDocument, { sort: { sequence: -1 } })) ?? undefined;
  }

  /**
   * Writes what is not there yet, and returns the last sequence. One that is taken is an error, since only one process
   * writes at a time.
   */
  async write(events: readonly NewEvent[], { after, keptMs }: EventPlace): Promise<number> {
    const ids = events.map(({ _id }) => _id);
    const known = new Set(
      (await this.#collection.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id),
    );
    const fresh = [...new Map(events.map((event) => [event._id, event])).values()].filter(({ _id }) => !known.has(_id));
    if (fresh.length === 0) return after;
    const expires_at = new Date(Date.now() + keptMs);
    await this.#collection.insertMany(
      fresh.map((event, index) => ({ ...event, sequence: after + 1 + index, expires_at })),
    );
    return after + fresh.length;
  }

  /** Wakes whenever events are added, until it is closed; ends with an error when the connection is lost. */
  watch() {
    return this.#collection.watch([{ $match: { operationType: 'insert' } }, { $project: { _id: 1 } }]);
  }
}
