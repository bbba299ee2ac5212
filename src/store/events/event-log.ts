import type {
  ChangeStreamInsertDocument,
  ClientSession,
  Collection,
  Db,
  Filter,
  MongoClient,
  ReadConcernLike,
} from 'mongodb';
import type { DocumentEvent } from '../../model/entity/event.ts';
import { insertInOrder } from '../batching/write-commands.ts';
import { Freshness, type ProjectionNames } from '../change-streams/freshness.ts';
import { WRITE_MS, writeError } from '../connection/bounded-writes.ts';
import { duplicateKeyIndex, duplicateKeyPosition } from '../duplicate-key.ts';
import type { TimeLimit } from '../entities/query.ts';
import type { StoredLease } from '../leases/lease.ts';
import { type EventFilter, type ReadEvents, SelectedEvents, type StoredEvent } from './selected-events.ts';

/** An event without its sequence number. */
export type NewEvent = Omit<DocumentEvent, 'sequence'>;

/** The lease of the one process that writes events. */
export const EVENTS_LEASE = 'events';
/** Lets readers wait for the events of recent writes. */
export const EVENTS: ProjectionNames = { mark: 'events mark', resumePoint: EVENTS_LEASE };

/** Where events are written. */
interface EventPlace {
  /** The last sequence number assigned. */
  readonly after: number;
  /** The retention of events, for clients that reconnect. */
  readonly keptMs: number;
}

/** Receives events written by this process, in order. */
type WrittenListener = (events: readonly DocumentEvent[]) => void;

/** Selected events after a position of the log. */
interface ReadOfLog extends ReadEvents {
  /** Whether the read reached the event that was the newest when it began. */
  readonly isAtEnd: boolean;
  /** False if some of the events after the position had expired by the time of the read. */
  readonly isWhole: boolean;
}

/** The margin for gateway clocks that differ and for changes in transit: events may be this much older than one before them. */
export const MARGIN_MS = 10 * 60_000;
/** How many events' expiry is shortened by one write. */
const SHORTENED = 1_000;
/** How many events of a document are read at once. */
const DOCUMENT_EVENTS = 100;
const MAJORITY = { level: 'majority' } as const;
/** Waits until a majority has confirmed that this is still the primary; a former primary never answers. */
const LINEARIZABLE = { level: 'linearizable' } as const;
const CONFIRM_MS = 4_000;

/** The retained events, in order. */
export class EventLog {
  readonly #collection: Collection<StoredEvent>;
  readonly #leases: Collection<StoredLease>;
  readonly #client: MongoClient;
  readonly #freshness: Freshness;
  readonly #selected: SelectedEvents;
  readonly #listeners = new Set<WrittenListener>();
  readonly #now: () => Date;
  /** When the events last written expire, in milliseconds: none may expire before an earlier one. */
  #expiry = 0;

  constructor(db: Db, now: () => Date = () => new Date()) {
    const options = { readConcern: MAJORITY } as const;
    this.#now = now;
    this.#client = db.client;
    this.#collection = db.collection('events', options);
    this.#leases = db.collection('leases', options);
    this.#freshness = new Freshness(db, EVENTS);
    this.#selected = new SelectedEvents(this.#collection);
  }

  /** Waits up to 2 s until everything acknowledged before the call has its events. */
  async settled(): Promise<void> {
    await this.#freshness.asOf();
  }

  /** The sequence number of the newest event, even if no longer retained; 0 if there never was one. */
  latest(): Promise<number> {
    return this.#latest({});
  }

  /** The same, correct even if the answering primary was replaced and does not know it yet. */
  latestForCertain(): Promise<number> {
    return this.#latest({ readConcern: LINEARIZABLE, maxTimeMS: CONFIRM_MS });
  }

  /** The sequence number of the first retained event after a position; undefined if there is none. */
  async next(sequence: number): Promise<number | undefined> {
    return (await this.after(sequence, 1))[0]?.sequence;
  }

  /** The sequence number before the first retained event: where to start to get everything. */
  async beginning(): Promise<number> {
    const oldest = await this.#collection.findOne({}, { sort: { sequence: 1 }, projection: { sequence: 1 } });
    return oldest ? oldest.sequence - 1 : this.latest();
  }

  /**
   * The sequence number before the first retained event since a time; the newest one if there is none. Times nearly ascend, so only the
   * events of the last minutes before that time are looked through.
   */
  async since(time: Date): Promise<number> {
    const from = await this.#lastBefore(new Date(time.getTime() - MARGIN_MS));
    const [first] = await this.#timesAfter(from, { at: { $gte: time } });
    return first ? first.sequence - 1 : this.latest();
  }

  /** The last event before a time, if times ascended; the place before the first event if there is none. */
  async #lastBefore(time: Date): Promise<number> {
    let [low, high] = await Promise.all([this.beginning(), this.latest()]);
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [event] = await this.#timesAfter(middle);
      if (event && event.at < time) low = event.sequence;
      else high = middle;
    }
    return low;
  }

  /** The first event after a place, if there is one. */
  #timesAfter(sequence: number, more: Filter<StoredEvent> = {}): Promise<Pick<StoredEvent, 'sequence' | 'at'>[]> {
    const projection = { _id: 0, sequence: 1, at: 1 };
    return this.#collection
      .find({ sequence: { $gt: sequence }, ...more }, { projection })
      .sort({ sequence: 1 })
      .limit(1)
      .toArray();
  }

  /** When the newest event happened; if none is kept, the given time, or else now. */
  async latestTime(otherwise?: Date): Promise<Date> {
    const newest = await this.#collection.findOne({}, { sort: { sequence: -1 }, projection: { at: 1 } });
    return newest?.at ?? otherwise ?? this.#now();
  }

  /** At most `limit` events after a place, in order. */
  after(sequence: number, limit: number): Promise<DocumentEvent[]> {
    return this.#find({ sequence: { $gt: sequence } }, limit);
  }

  /**
   * At most `limit` selected events after a position. TIMED_OUT if a read far behind the newest event gets no turn in time. The reads are
   * causally consistent: a primary elected between them may lag behind its predecessor, and events it lacks would be skipped.
   */
  read(sequence: number, limit: number, wanted: EventFilter, time: TimeLimit = {}): Promise<ReadOfLog> {
    return this.#client.withSession({ causalConsistency: true }, async (session) => {
      const latest = await this.#latest({ session });
      const stretch = { after: sequence, to: latest };
      const { events, reaches } = await this.#selected.read(stretch, limit, wanted, { ...time, session });
      const next = sequence + 1;
      // Events expire in order: if the first is still there after the read, the others were there as well.
      const isWhole = reaches === sequence || events[0]?.sequence === next || (await this.#isKept(next, session));
      return { events, reaches, isAtEnd: reaches >= latest, isWhole };
    });
  }

  /** The event with that number; undefined if no longer retained. */
  async at(sequence: number): Promise<DocumentEvent | undefined> {
    return (await this.#find({ sequence }, 1))[0];
  }

  /** The events of a document between two places, including the later one. */
  async ofDocument(document: string, { after, to }: { after: number; to: number }): Promise<DocumentEvent[]> {
    const ofDocument = { _id: { $gte: `${document} `, $lt: `${document}!` }, sequence: { $gt: after, $lte: to } };
    return this.#find(ofDocument, DOCUMENT_EVENTS);
  }

  /** The newest event of a document. */
  async newestOf(document: string): Promise<DocumentEvent | undefined> {
    const ofDocument = { _id: { $gte: `${document} `, $lt: `${document}!` } };
    return (await this.#collection.findOne(ofDocument, { sort: { sequence: -1 } })) ?? undefined;
  }

  /**
   * Writes missing events and returns the last sequence number. A sequence number already taken is an error, since only one process
   * writes at a time.
   */
  async write(events: readonly NewEvent[], { after, keptMs }: EventPlace): Promise<number> {
    this.#expiry = Math.max(this.#expiry, this.#expiryOf(keptMs));
    const expires_at = new Date(this.#expiry);
    const insert = async (fresh: readonly NewEvent[], behind: number): Promise<number> => {
      if (fresh.length === 0) return behind;
      const numbered = fresh.map((event, index) => ({ ...event, sequence: behind + 1 + index }));
      const placed = numbered.map((event) => ({ ...event, expires_at }));
      await insertInOrder(this.#collection, placed, { writeConcern: { w: 'majority' }, maxTimeMS: WRITE_MS });
      for (const listener of this.#listeners) listener(numbered);
      return behind + fresh.length;
    };
    try {
      return await insert(unknownOf(events, new Map()), after);
    } catch (error) {
      const before = duplicateKeyPosition(error);
      if (before === undefined || duplicateKeyIndex(error) !== '_id_') throw writeError(error);
      // Some exist already: those before the first duplicate have been written, in order.
      return insert(unknownOf(events, await this.#known(events)), after + before);
    }
  }

  /** Shortens the expiry of some events retained for longer than that from now on, oldest first; false once there are none. */
  async shortenTo(keptMs: number): Promise<boolean> {
    const expires_at = new Date(this.#expiryOf(keptMs));
    const later = await this.#collection
      .find({ expires_at: { $gt: expires_at } }, { projection: { _id: 1 } })
      .sort({ expires_at: 1 })
      .limit(SHORTENED)
      .toArray();
    if (later.length === 0) return false;
    const ids = later.map(({ _id }) => _id);
    await this.#collection.updateMany({ _id: { $in: ids } }, { $set: { expires_at } }, { maxTimeMS: WRITE_MS });
    return true;
  }

  #expiryOf(keptMs: number): number {
    return this.#now().getTime() + keptMs;
  }

  /** The existing events by id, with their moments. */
  async #known(events: readonly NewEvent[]): Promise<Map<string, string | undefined>> {
    const ids = events.flatMap((event) => [event._id, repeatedId(event)]);
    const found = await this.#collection.find({ _id: { $in: ids } }, { projection: { moment: 1 } }).toArray();
    return new Map(found.map(({ _id, moment }) => [_id, moment]));
  }

  /** Reports events written by this process once a majority has them. Returns a function that unsubscribes. */
  onWritten(listener: WrittenListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The sequence number of each event added, by any process, until closed; ends with an error if the connection is lost. */
  watch() {
    const pipeline = [{ $match: { operationType: 'insert' } }, { $project: { 'fullDocument.sequence': 1 } }];
    return this.#collection.watch<StoredEvent, ChangeStreamInsertDocument<Pick<StoredEvent, 'sequence'>>>(pipeline);
  }

  async #isKept(sequence: number, session: ClientSession): Promise<boolean> {
    return (await this.#collection.findOne({ sequence }, { session, projection: { _id: 1 } })) !== null;
  }

  #find(filter: Filter<StoredEvent>, limit: number): Promise<DocumentEvent[]> {
    return this.#collection
      .find(filter, { projection: { expires_at: 0 }, batchSize: limit + 1 })
      .sort({ sequence: 1 })
      .limit(limit)
      .toArray();
  }

  async #latest(options: LatestOptions): Promise<number> {
    const newest = await this.#collection.findOne(
      {},
      { ...options, sort: { sequence: -1 }, projection: { sequence: 1 } },
    );
    const lease = await this.#leases.findOne({ _id: EVENTS_LEASE }, { ...options, projection: { last: 1 } });
    return Math.max(newest?.sequence ?? 0, lease?.last ?? 0);
  }
}

/** The id of an event that happened before in the same way: such as when an undone request is sent again. */
const repeatedId = ({ _id, moment }: NewEvent): string => `${_id} ${moment ?? ''}`;

/** An event reread from MongoDB's oplog has the same moment; one without a moment was not read there. */
const happenedAgain = ({ moment }: NewEvent, before: string | undefined): boolean =>
  moment !== undefined && before !== undefined && moment !== before;

/** The unknown events, each once; repeated occurrences get their own id. */
function unknownOf(events: readonly NewEvent[], known: Map<string, string | undefined>): NewEvent[] {
  const fresh: NewEvent[] = [];
  for (const event of events) {
    const isRepeated = known.has(event._id) && happenedAgain(event, known.get(event._id));
    const _id = isRepeated ? repeatedId(event) : event._id;
    if (known.has(_id)) continue;
    known.set(_id, event.moment);
    fresh.push({ ...event, _id });
  }
  return fresh;
}

interface LatestOptions {
  readonly session?: ClientSession;
  readonly readConcern?: ReadConcernLike;
  readonly maxTimeMS?: number;
}
