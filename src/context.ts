import type { IncomingMessage } from 'node:http';
import { SessionActions } from './auth/session-actions.ts';
import type { Sessions } from './auth/sessions.ts';
import type { Viewer } from './auth/viewer.ts';
import type { Environment } from './config.ts';
import { Domain } from './domain/domain.ts';
import type { StreamPlace } from './domain/events/open-streams.ts';
import { Analyses } from './domain/job-analysis/job-analysis.ts';
import { Loaders } from './domain/loaders/loaders.ts';
import { type ClockAndIds, seededClockAndIds } from './domain/request/clock-and-ids.ts';
import type { RowLimit } from './domain/request/held-rows.ts';
import type { WebhookRules, Webhooks } from './domain/webhooks/webhooks.ts';
import { shortened } from './errors.ts';
import type { AnswerBudget } from './graphql/limits/answer-budget.ts';
import { MAX_NAME } from './http/access-log.ts';
import type { RequestOrigin } from './model/audit.ts';
import type { HealthReport } from './model/health.ts';
import type { Seed } from './model/idempotency.ts';
import type { Stores } from './store/stores.ts';

/** Everything that resolvers have access to; one per request, bound to its viewer, for GraphQL and REST alike. */
export interface Context {
  readonly viewer: Viewer | undefined;
  readonly requestId: string;
  /** The last event received by a client that resubscribes (Server-Sent Events). */
  readonly lastEventId: string | undefined;
  /** Aborted if the client disconnects before the answer is sent. */
  readonly gone: AbortSignal;
  readonly domain: Domain;
  readonly load: Loaders;
  readonly analyse: Analyses;
  /** Drops everything read so far: later reads see what was written meanwhile. */
  readAnew(): void;
  /** The caller's webhooks; UNAUTHENTICATED without a credential. */
  webhooks(): Webhooks;
  readonly session: SessionActions;
  readonly health: () => Promise<HealthReport>;
  /** The size limit of the answer; set for clients' operations, since REST limits its own. */
  answer?: AnswerBudget | undefined;
  /** Sets a deadline for the request from now on: later reads fail, and MongoDB stops running ones (TIMED_OUT). */
  limitTime(ms: number): void;
  /** Limits each later read in MongoDB to that time, however long the answer takes (TIMED_OUT). */
  limitReads(ms: number): void;
  /** From now on, reads all parts of a list at one point in time, that of the first. */
  readAtOneTime(): void;
  /** From now on, limits the rows that the answer is made from (TOO_LARGE), and no list goes on. */
  limitRows(limit: RowLimit): void;
  readonly environment: Environment;
  /** The path of BASE_URL, without a trailing slash. */
  readonly basePath: string;
  /** Closes open lists once the answer is sent; undefined if there are none. */
  dispose(): Promise<unknown> | undefined;
}

/** The parts shared by all contexts. */
export interface ContextParts {
  readonly stores: Stores;
  readonly sources: ClockAndIds;
  readonly sessions: Sessions;
  readonly health: () => Promise<HealthReport>;
  readonly environment: Environment;
  /** The path of BASE_URL, without a trailing slash. */
  readonly basePath: string;
  readonly webhookRules: WebhookRules;
}

/** The request that a context is for. */
export interface RequestInfo {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly address?: string | undefined;
  /** The id of the REST endpoint. */
  readonly endpoint?: string | undefined;
  /** The name of the GraphQL operation, and the names of its fields; known when it begins to run. */
  readonly operation?: string | undefined;
  readonly fields?: string | undefined;
  /** Set if the request may be repeated, so that it makes the same ids (Idempotency-Key). */
  readonly seed?: Seed | undefined;
  /** Set if the answer is made of many pages of the change feed. */
  readonly streamPlace?: StreamPlace | undefined;
}

/** Creates the context of a request; its parts are created lazily. */
export function createContext(parts: ContextParts, viewer: Viewer | undefined, info: RequestInfo): Context {
  return new LazyContext(parts, viewer, info);
}

/** A context as a plain object, because Yoga copies only own properties, not those of the class. */
export function plainContext(context: Context): Context {
  const { viewer, requestId, lastEventId, gone, domain, load, analyse, session } = context;
  const { health, environment, basePath } = context;
  const limitTime = (ms: number): void => context.limitTime(ms);
  const limitReads = (ms: number): void => context.limitReads(ms);
  const readAtOneTime = (): void => context.readAtOneTime();
  const limitRows = (limit: RowLimit): void => context.limitRows(limit);
  const dispose = (): Promise<unknown> | undefined => context.dispose();
  const made = { viewer, requestId, lastEventId, gone, domain, load, analyse, session };
  const parts = { health, environment, basePath };
  const limits = { limitTime, limitReads, limitRows };
  return { ...made, ...parts, ...limits, webhooks: () => context.webhooks(), readAnew, readAtOneTime, dispose };
  function readAnew(this: Remembering): void {
    context.readAnew();
    this.load = context.load; // on Yoga's copy
    this.analyse = context.analyse;
  }
}

/** The parts of a context that cache reads. */
type Remembering = { -readonly [Part in 'load' | 'analyse']: Context[Part] };

class LazyContext implements Context {
  readonly viewer: Viewer | undefined;
  readonly requestId: string;
  readonly domain: Domain;
  readonly health: () => Promise<HealthReport>;
  readonly environment: Environment;
  readonly basePath: string;
  answer: AnswerBudget | undefined = undefined;
  readonly #sessions: Sessions;
  readonly #webhookRules: WebhookRules;
  readonly #info: RequestInfo;
  readonly #origin: LateOrigin;
  #loaders: Loaders | undefined;
  #analyses: Analyses | undefined;

  constructor(parts: ContextParts, viewer: Viewer | undefined, info: RequestInfo) {
    const { seed } = info;
    const sources = seed === undefined ? parts.sources : seededClockAndIds(parts.sources, seed);
    this.viewer = viewer;
    this.requestId = info.requestId;
    this.health = parts.health;
    this.environment = parts.environment;
    this.basePath = parts.basePath;
    this.#sessions = parts.sessions;
    this.#webhookRules = parts.webhookRules;
    this.#info = info;
    this.#origin = new LateOrigin(info);
    this.domain = new Domain(viewer, parts.stores, { sources, origin: this.#origin, client: this.#origin });
  }

  get load(): Loaders {
    this.#loaders ??= new Loaders(this.domain);
    return this.#loaders;
  }

  get analyse(): Analyses {
    this.#analyses ??= new Analyses(this.load);
    return this.#analyses;
  }

  readAnew(): void {
    this.#loaders = undefined;
    this.#analyses = undefined;
    this.domain.readAnew();
  }

  get lastEventId(): string | undefined {
    return [this.#info.request.headers['last-event-id']].flat()[0] || undefined;
  }

  get gone(): AbortSignal {
    return this.#origin.gone;
  }

  get session(): SessionActions {
    const { requestId, address, operation } = this.#origin; // audit log entries are made by copying
    const origin = { requestId, address, operation };
    return new SessionActions(this.#sessions, this.viewer, { request: this.#info.request, origin });
  }

  webhooks(): Webhooks {
    return this.domain.webhooks(this.#webhookRules);
  }

  limitTime(ms: number): void {
    this.domain.limitTime(ms);
  }

  limitReads(ms: number): void {
    this.domain.limitReads(ms);
  }

  readAtOneTime(): void {
    this.domain.readAtOneTime();
  }

  limitRows(limit: RowLimit): void {
    this.domain.limitRows(limit);
  }

  dispose(): Promise<unknown> | undefined {
    this.#origin.dispose();
    return this.domain.close();
  }
}

/**
 * The origin of a request, worked out when the audit log asks, and whether its client disconnects. A class, because V8 makes a separate
 * hidden class for each object with its own getters, which keeps the request alive until a major collection, not just a minor one.
 */
class LateOrigin implements RequestOrigin {
  readonly #info: RequestInfo;
  #hangUp: HangUp | undefined;

  constructor(info: RequestInfo) {
    this.#info = info;
  }

  get requestId(): string {
    return this.#info.requestId;
  }

  get address(): string | undefined {
    return this.#info.address;
  }

  get operation(): string | undefined {
    return operationOf(this.#info);
  }

  get streamPlace(): StreamPlace | undefined {
    return this.#info.streamPlace;
  }

  /** Aborted when the client disconnects. */
  get gone(): AbortSignal {
    this.#hangUp ??= hangUpOf(this.#info.request);
    return this.#hangUp.signal;
  }

  dispose(): void {
    this.#hangUp?.dispose();
  }
}

interface HangUp {
  readonly signal: AbortSignal;
  dispose(): void;
}

/** Watches for the connection of a request to close. */
function hangUpOf({ socket }: IncomingMessage): HangUp {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (socket.destroyed) abort();
  socket.once('close', abort);
  return { signal: controller.signal, dispose: () => void socket.off('close', abort) };
}

/** The name of a request's operation in the audit log: for an unnamed GraphQL operation, its fields. */
function operationOf({ endpoint, operation, fields }: RequestInfo): string | undefined {
  const name = endpoint ?? operation ?? fields;
  return name === undefined ? undefined : shortened(name, MAX_NAME);
}
