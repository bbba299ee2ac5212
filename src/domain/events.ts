import { invalidInput, rateLimited, ServiceError } from '../errors.ts';
import type { DocumentEvent } from '../model/entity/event.ts';
import type { Followed } from '../store/events/event-log.ts';
import type { EventTail } from '../store/events/event-tail.ts';
import { documentKind } from './documents/document-kind.ts';
import type { RequestContext } from './request/request-context.ts';
import { accessTo } from './workspaces/workspace-access.ts';

/** What a caller wants to hear of. */
export interface FollowRequest {
  readonly workspace?: string | null | undefined;
  readonly types?: readonly string[] | null | undefined;
  /** The id of the last event that the caller has. */
  readonly after?: string | null | undefined;
}

/** How many streams a principal may have open in one process. */
export const MAX_FOLLOWED = 100;
const BATCH = 100;
const RETRY_MS = 10_000;

const open = new Map<string, number>();

/** What happens to documents, as it happens (docs/graphql.md, "Subscriptions"). */
export class Events {
  readonly #ctx: RequestContext;

  constructor(ctx: RequestContext) {
    this.#ctx = ctx;
  }

  /**
   * The events that the caller may see, from now on, or after one that the caller has. INVALID_INPUT for a place that is
   * none or that is not kept any more, RATE_LIMITED for one stream too many.
   */
  async follow({ workspace, types, after }: FollowRequest): Promise<AsyncIterableIterator<DocumentEvent>> {
    const ctx = this.#ctx;
    const { eventTail: tail, workspaces } = ctx.readStores();
    if (tail.closed)
      throw new ServiceError('UNAVAILABLE', 'There are no subscriptions here: EVENTS is off, or the service stops.');
    const names = types?.map((name) => documentKind(name).type.name);
    if (workspace) await accessTo(ctx, ctx.readStores(), workspace);
    const place = after ? await placeOf(tail, after) : await tail.log.latest();
    const principal = ctx.viewer.id;
    const count = open.get(principal) ?? 0;
    if (count >= MAX_FOLLOWED) throw rateLimited(`You have ${count} subscriptions open, as many as one may`, RETRY_MS);
    open.set(principal, count + 1);
    const leave = tail.join();
    const followed = { readers: ctx.tenant, workspace: workspace ?? undefined, types: names };
    const end = () => {
      leave();
      const left = (open.get(principal) ?? 1) - 1;
      if (left === 0) open.delete(principal);
      else open.set(principal, left);
    };
    return new Following(tail, followed, place, { end, declined: () => workspaces.declinedBy(ctx.tenant) });
  }
}

const MAX_TIME_EXPIRED = 50;

function notConfirmed(error: unknown): never {
  if ((error as { readonly code?: unknown }).code !== MAX_TIME_EXPIRED) throw error;
  throw new ServiceError('UNAVAILABLE', 'The database does not know who its primary is; try again.', { cause: error });
}

/** The place of an event id, which must be one that can be gone on from without a gap. */
async function placeOf(tail: EventTail, after: string): Promise<number> {
  const sequence = Number(after);
  const fault = (message: string) => invalidInput([{ parameter: 'after', message }]);
  if (!/^\d{1,15}$/.test(after)) throw fault('is not the id of an event.');
  let latest = await tail.log.latest();
  // A primary that stood still may not know of the newest events, which the caller has from the next one.
  if (sequence > latest) latest = await tail.log.latestForCertain().catch(notConfirmed);
  if (sequence > latest) throw fault(`is not the id of an event: the newest is ${latest}.`);
  if (sequence < latest && (await tail.log.next(sequence)) !== sequence + 1) {
    throw fault('is too old: the events after it are no longer kept. Read the documents anew, and follow without it.');
  }
  return sequence;
}

interface StreamParts {
  /** What is done once, when the stream ends. */
  readonly end: () => void;
  /** The workspaces that the tenant declined. */
  readonly declined: () => Promise<readonly string[]>;
}

/** One stream of events; it reads on as fast as it is read from, and `return` ends it even while it waits. */
class Following implements AsyncIterableIterator<DocumentEvent> {
  readonly #tail: EventTail;
  readonly #followed: Followed;
  readonly #parts: StreamParts;
  readonly #ended = new AbortController();
  #place: number;
  /** After which event it begins. */
  readonly place: number;
  #ready: DocumentEvent[] = [];

  constructor(tail: EventTail, followed: Followed, place: number, parts: StreamParts) {
    this.#tail = tail;
    this.#followed = followed;
    this.#place = place;
    this.place = place;
    this.#parts = parts;
  }

  async next(): Promise<IteratorResult<DocumentEvent>> {
    while (this.#ready.length === 0) {
      if (this.#ended.signal.aborted) return this.return();
      if (this.#tail.closed) {
        await this.return();
        throw new ServiceError('UNAVAILABLE', 'The service stops: connect again.');
      }
      await this.#read();
      await this.#leaveOutDeclined();
      if (this.#ready.length === 0) await this.#tail.wait(this.#place, this.#ended.signal);
    }
    return { done: false, value: this.#ready.shift() as DocumentEvent };
  }

  return(): Promise<IteratorResult<DocumentEvent>> {
    if (!this.#ended.signal.aborted) this.#parts.end();
    this.#ended.abort();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #read(): Promise<void> {
    const atHand = this.#tail.since(this.#place);
    if (atHand) {
      this.#ready = atHand.filter((event) => this.#fits(event));
      this.#place = atHand.at(-1)?.sequence ?? this.#place;
      return;
    }
    const { events, reaches } = await this.#tail.log.read(this.#place, BATCH, this.#followed);
    this.#ready = [...events];
    this.#place = reaches;
  }

  /** What is in a workspace that the tenant declined is told to those alone who follow just that workspace. */
  async #leaveOutDeclined(): Promise<void> {
    if (this.#followed.workspace || this.#ready.length === 0) return;
    const declined = await this.#parts.declined();
    this.#ready = this.#ready.filter((event) => event.workspace === null || !declined.includes(event.workspace));
  }

  #fits({ readers, workspace, type }: DocumentEvent): boolean {
    const { readers: tenant, workspace: wanted, types } = this.#followed;
    return readers.includes(tenant) && (!wanted || workspace === wanted) && (!types || types.includes(type));
  }
}
