import type { IncomingMessage } from 'node:http';
import { SessionActions } from './auth/session-actions.ts';
import type { Sessions } from './auth/sessions.ts';
import type { Viewer } from './auth/viewer.ts';
import type { Environment } from './config.ts';
import { Domain } from './domain/domain.ts';
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

/** What a resolver may reach; one for each request, bound to its viewer, for GraphQL and REST alike. */
export interface Context {
  readonly viewer: Viewer | undefined;
  readonly requestId: string;
  /** The last event that a client has who subscribes again (Server-Sent Events). */
  readonly lastEventId: string | undefined;
  /** Aborted when the client hangs up before the answer has left. */
  readonly gone: AbortSignal;
  readonly domain: Domain;
  readonly load: Loaders;
  readonly analyse: Analyses;
  /** From now on, what was read before is read anew, to show what was written meanwhile. */
  readAnew(): void;
  /** The caller's webhooks; UNAUTHENTICATED without a credential. */
  webhooks(): Webhooks;
  readonly session: SessionActions;
  readonly health: () => Promise<HealthReport>;
  /** What the answer may hold; set for operations of clients, while REST limits its own. */
  answer?: AnswerBudget | undefined;
  /** From now on, what is asked for has that long: later reads fail, and MongoDB stops those that run (TIMED_OUT). */
  limitTime(ms: number): void;
  /** From now on, each read has that long in MongoDB, however long the answer takes (TIMED_OUT). */
  limitReads(ms: number): void;
  /** From now on, the rows that the answer is made from have a limit (TOO_LARGE), and no list goes on. */
  limitRows(limit: RowLimit): void;
  readonly environment: Environment;
  /** The path of BASE_URL, without a slash at its end. */
  readonly basePath: string;
  /** Lets go of open lists when the answer has left; undefined where there are none. */
  dispose(): Promise<unknown> | undefined;
}

/** What every context is made from. */
export interface ContextParts {
  readonly stores: Stores;
  readonly sources: ClockAndIds;
  readonly sessions: Sessions;
  readonly health: () => Promise<HealthReport>;
  readonly environment: Environment;
  /** The path of BASE_URL, without a slash at its end. */
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
  /** The request may run again, and then makes the same ids (Idempotency-Key). */
  readonly seed?: Seed | undefined;
}

/** A context, made for every request: what a request does not ask for is not made. */
export function createContext(parts: ContextParts, viewer: Viewer | undefined, info: RequestInfo): Context {
  return new LazyContext(parts, viewer, info);
}

/** A context as a plain object, for Yoga, which copies what an object owns and nothing of its class. */
export function plainContext(context: Context): Context {
  const { viewer, requestId, lastEventId, gone, domain, load, analyse, session } = context;
  const { health, environment, basePath } = context;
  const limitTime = (ms: number): void => context.limitTime(ms);
  const limitReads = (ms: number): void => context.limitReads(ms);
  const limitRows = (limit: RowLimit): void => context.limitRows(limit);
  const dispose = (): Promise<unknown> | undefined => context.dispose();
  const made = { viewer, requestId, lastEventId, gone, domain, load, analyse, session };
  const parts = { health, environment, basePath };
  return { ...made, ...parts, webhooks: () => context.webhooks(), readAnew, limitTime, limitReads, limitRows, dispose };
  function readAnew(this: Remembering): void {
    context.readAnew();
    this.load = context.load; // of what Yoga has made of it
    this.analyse = context.analyse;
  }
}

/** What a context remembers of what was read. */
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
    const { requestId, address, operation } = this.#origin; // entries of the audit log are made by copying
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

  limitRows(limit: RowLimit): void {
    this.domain.limitRows(limit);
  }

  dispose(): Promise<unknown> | undefined {
    this.#origin.dispose();
    return this.domain.close();
  }
}

/**
 * Where a request comes from, worked out when the audit log asks, and whether its client hangs up. A class: V8 makes a hidden class
 * of its own for each object with getters of its own, which keeps the request alive until all of the memory is collected, not only
 * what is young.
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

  /** Aborted when the client hangs up. */
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

/** Notices that the connection of a request is closed. */
function hangUpOf({ socket }: IncomingMessage): HangUp {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (socket.destroyed) abort();
  socket.once('close', abort);
  return { signal: controller.signal, dispose: () => void socket.off('close', abort) };
}

/** What the audit log calls the operation of a request: one of GraphQL that has no name, by its fields. */
function operationOf({ endpoint, operation, fields }: RequestInfo): string | undefined {
  const name = endpoint ?? operation ?? fields;
  return name === undefined ? undefined : shortened(name, MAX_NAME);
}
