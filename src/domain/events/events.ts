import { ServiceError, throwIfInvalid, VIOLATIONS_SOUGHT, type Violation } from '../../errors.ts';
import { DOCUMENT_TYPES, documentType } from '../../model/document-types.ts';
import type { DocumentEvent } from '../../model/entity/event.ts';
import { ATTACHMENT_EVENT_TYPE, FINDING_EVENT_TYPE } from '../../model/entity/event-facts.ts';
import type { TimeLimit } from '../../store/entities/query.ts';
import type { EventTail } from '../../store/events/event-tail.ts';
import type { RequestContext } from '../request/request-context.ts';
import { rangeViolations } from '../validation/ranges.ts';
import { accessTo } from '../workspaces/workspace-access.ts';
import { EventReader } from './event-reader.ts';
import { openStream } from './open-streams.ts';
import { isEventId, isHistoryLost, keptPlace, placeViolations } from './place.ts';

/** Selects events. */
interface FollowRequest {
  readonly workspace?: string | null | undefined;
  readonly types?: readonly string[] | null | undefined;
  /** The id of the last event that the caller has; pages also accept `newest`, the latest event there is. */
  readonly after?: string | null | undefined;
}

/** The starting position for a reader about to read the documents themselves. */
const NEWEST = 'newest';

/** A page of the feed. */
export interface ChangesRequest extends FollowRequest {
  readonly first: number;
  /** How many seconds to wait for a change if there is none yet. */
  readonly wait: number;
}

/** Changes, and the id to continue from, present even if there are no changes. */
export interface Changes {
  readonly changes: readonly DocumentEvent[];
  readonly next: string;
}

const MAX_CHANGES = 1_000;
const MAX_WAIT_SECONDS = 60;
const BATCH = 500;
/** Once it has looked through the log for this long, a page has what was found, and its `next` says how far it looked. */
const LOOKED_MS = 5_000;

const DOCUMENT_TYPE_NAMES = DOCUMENT_TYPES.map(({ name }) => name);

/** What happens to documents and attachments: as a stream, and as a feed (contract §14; docs/graphql.md, "Subscriptions"). */
export class Events {
  readonly #ctx: RequestContext;

  constructor(ctx: RequestContext) {
    this.#ctx = ctx;
  }

  /**
   * The events of documents that the caller may see, from now on or after a given event. INVALID_INPUT for an invalid position
   * or one that is no longer kept, RATE_LIMITED for one stream too many.
   */
  async follow({ workspace, types, after }: FollowRequest): Promise<AsyncIterableIterator<DocumentEvent>> {
    const tail = this.#tail('are no subscriptions');
    throwIfInvalid(unknownTypes(types ?? [], SUBSCRIPTIONS));
    const names = types ? typesInLog(types) : DOCUMENT_TYPE_NAMES;
    if (workspace) await accessTo(this.#ctx, this.#ctx.readStores(), workspace);
    const place = after ? await keptPlace(tail, after) : await tail.log.latest();
    const end = this.#open(tail);
    return new EventIterator(tail, this.#reader(tail, { workspace, types: names, place }), end);
  }

  /**
   * A page of changes to documents and attachments that the caller may see, after a given event or from the oldest kept. If there
   * are none, waits for some until `gone`; a waiting caller holds no connection to MongoDB.
   */
  async changes({ workspace, types, after, first, wait }: ChangesRequest, gone: AbortSignal): Promise<Changes> {
    const tail = this.#tail('is no change feed');
    this.checkFeed({ types, after, first, wait });
    // Findings are not documents: clients that do not know of them do not get them.
    const names = types ? typesInLog(types) : [...DOCUMENT_TYPE_NAMES, ATTACHMENT_EVENT_TYPE];
    if (workspace) await accessTo(this.#ctx, this.#ctx.readStores(), workspace);
    const waiting = wait > 0 ? this.#open(tail) : undefined;
    try {
      for (;;) {
        const place = await this.#placeOfPage(tail, after, wait > 0);
        const reader = this.#reader(tail, { workspace, types: names, place });
        try {
          const changes = waiting
            ? await this.#awaited(tail, reader, { first, wait, gone })
            : await this.#settled(tail, reader, { first, gone });
          return { changes, next: String(reader.place) };
        } catch (error) {
          if (after || !isHistoryLost(error)) throw error; // else the oldest events have expired meanwhile
        }
      }
    } finally {
      waiting?.();
    }
  }

  /** Throws INVALID_INPUT for invalid arguments of the feed. */
  checkFeed({ types, after, first = 1, wait = 0 }: Partial<ChangesRequest>): void {
    throwIfInvalid([
      ...unknownTypes(types ?? [], FEED),
      ...(after && after !== NEWEST ? placeViolations(after) : []),
      ...windowViolations(first, wait),
    ]);
  }

  /** Waits only at the end of the log: a page that found nothing so far tells how far it looked. */
  async #awaited(
    tail: EventTail,
    reader: EventReader,
    { first, wait, gone }: { first: number; wait: number; gone: AbortSignal },
  ): Promise<readonly DocumentEvent[]> {
    const ended = AbortSignal.any([gone, AbortSignal.timeout(wait * 1_000)]);
    for (;;) {
      const changes = await this.#found(reader, first, { ended, read: (limit, time) => reader.read(limit, time) });
      if (changes.length > 0 || reader.isBehind || ended.aborted || tail.closed) return changes;
      const waited = performance.now();
      await tail.wait(reader.place, ended);
      this.#ctx.notCounting(performance.now() - waited);
    }
  }

  /** Includes every event acknowledged before: reads from MongoDB, since this process's memory may be a moment behind. */
  async #settled(
    tail: EventTail,
    reader: EventReader,
    { first, gone }: { first: number; gone: AbortSignal },
  ): Promise<readonly DocumentEvent[]> {
    await tail.log.settled();
    return this.#found(reader, first, { ended: gone, read: (limit, time) => reader.readLog(limit, time) });
  }

  /** The next events, read on until there are `first` of them, or the log ends, or half of the time is used up. */
  async #found(reader: EventReader, first: number, { ended, read }: Looking): Promise<readonly DocumentEvent[]> {
    const { maxTimeMS = Number.POSITIVE_INFINITY } = this.#ctx.time;
    const until = performance.now() + Math.min(LOOKED_MS, maxTimeMS / 2);
    const found: DocumentEvent[] = [];
    do found.push(...(await read(first - found.length, this.#ctx.time)));
    while (found.length < first && reader.isBehind && !ended.aborted && performance.now() < until);
    return found;
  }

  /** Takes a place among the streams of the principal; returns the function that leaves it, unless the whole answer holds it. */
  #open(tail: EventTail): () => void {
    const { streamPlace, tenant, viewer } = this.#ctx;
    if (streamPlace?.leave) return () => undefined;
    const leave = openStream(tail, `${tenant}:${viewer.id}`);
    if (!streamPlace) return leave;
    streamPlace.leave = leave;
    return () => undefined;
  }

  /** UNAVAILABLE, naming what is missing, if this gateway follows no events. */
  #tail(lack: string): EventTail {
    const { eventTail } = this.#ctx.readStores();
    if (!eventTail.closed) return eventTail;
    throw new ServiceError('UNAVAILABLE', `There ${lack} here: EVENTS is off, or the service is stopping.`, {
      headers: { 'Retry-After': '5' },
    });
  }

  #reader(tail: EventTail, { workspace, types, place }: FollowRequest & { readonly place: number }): EventReader {
    const { tenant } = this.#ctx;
    const { workspaces } = this.#ctx.readStores();
    const filter = { readers: tenant, workspace: workspace ?? undefined, types: types ?? undefined };
    return new EventReader(tail, filter, { place, declined: (after) => workspaces.declinedBy(tenant, after) });
  }

  async #placeOfPage(tail: EventTail, after: string | null | undefined, isWaiting: boolean): Promise<number> {
    if (!after) return tail.log.beginning();
    if (after === NEWEST) {
      await tail.log.settled();
      return tail.log.latest();
    }
    // Keeps idle streams from querying MongoDB.
    if (isWaiting && isEventId(after) && tail.isNewest(Number(after))) return Number(after);
    return keptPlace(tail, after, { mayBeginWithOldest: true });
  }
}

/** How a page is looked for. */
interface Looking {
  read(limit: number, time: TimeLimit): Promise<readonly DocumentEvent[]>;
  /** Aborted when the page is no longer awaited. */
  readonly ended: AbortSignal;
}

/** What subscriptions, and the feed, report besides documents. */
const SUBSCRIPTIONS = { noun: 'subscriptions', others: [FINDING_EVENT_TYPE] };
const FEED = { noun: 'the feed', others: [ATTACHMENT_EVENT_TYPE, FINDING_EVENT_TYPE] };

/** A violation for each type that subscriptions or the feed do not have. */
function unknownTypes(types: readonly string[], { noun, others }: typeof FEED): Violation[] {
  const unknown = [...new Set(types)].filter((name) => !others.includes(name) && !documentType(name));
  const known = [...DOCUMENT_TYPE_NAMES, ...others].join(', ');
  return unknown
    .slice(0, VIOLATIONS_SOUGHT)
    .map((name) => ({ parameter: 'types', message: `"${name}" is not a type of ${noun}: there are ${known}.` }));
}

/** The log's names of known types, each once. */
const typesInLog = (types: readonly string[]): readonly string[] => [
  ...new Set(types.map((name) => documentType(name)?.name ?? name)),
];

const windowViolations = (first: number, wait: number): Violation[] => [
  ...rangeViolations({ first }, [1, MAX_CHANGES]),
  ...rangeViolations({ wait }, [0, MAX_WAIT_SECONDS], 'seconds'),
];

/** One stream of events; it reads only as fast as it is consumed, and `return` ends it at once, even while it waits. */
class EventIterator implements AsyncIterableIterator<DocumentEvent> {
  readonly #tail: EventTail;
  readonly #reader: EventReader;
  /** Called once, when the stream ends. */
  readonly #end: () => void;
  readonly #ended = new AbortController();
  /** The event after which the stream begins. */
  readonly place: number;
  #ready: DocumentEvent[] = [];

  constructor(tail: EventTail, reader: EventReader, end: () => void) {
    this.#tail = tail;
    this.#reader = reader;
    this.place = reader.place;
    this.#end = end;
  }

  async next(): Promise<IteratorResult<DocumentEvent>> {
    while (!this.#ended.signal.aborted) {
      const event = this.#ready.shift();
      if (event) return { done: false, value: event };
      if (this.#tail.closed) {
        await this.return();
        throw new ServiceError('UNAVAILABLE', 'The service is stopping; reconnect.');
      }
      this.#ready = [...(await this.#read())];
      if (this.#ready.length === 0) await this.#tail.wait(this.#reader.place, this.#ended.signal);
    }
    return this.return();
  }

  /** A stream that cannot continue ends: its client must read the documents again. */
  async #read(): Promise<readonly DocumentEvent[]> {
    try {
      return await this.#reader.read(BATCH);
    } catch (error) {
      if (isHistoryLost(error)) await this.return();
      throw error;
    }
  }

  return(): Promise<IteratorResult<DocumentEvent>> {
    if (!this.#ended.signal.aborted) this.#end();
    this.#ended.abort();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
