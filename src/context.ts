import type { IncomingMessage } from 'node:http';
import { SessionActions } from './auth/session-actions.ts';
import type { Sessions } from './auth/sessions.ts';
import type { Viewer } from './auth/viewer.ts';
import type { Environment } from './config.ts';
import { Domain } from './domain/domain.ts';
import { Analyses } from './domain/job-analysis/job-analysis.ts';
import { Loaders } from './domain/loaders.ts';
import { type ClockAndIds, seededClockAndIds } from './domain/request/clock-and-ids.ts';
import type { WebhookRules, Webhooks } from './domain/webhooks/webhooks.ts';
import { shortened } from './errors.ts';
import type { AnswerBudget } from './graphql/limits/answer-budget.ts';
import { MAX_NAME, plainAddress } from './http/access-log.ts';
import type { RequestOrigin } from './model/audit.ts';
import type { HealthReport } from './model/health.ts';
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
  readonly webhooks: Webhooks;
  readonly session: SessionActions;
  readonly health: () => Promise<HealthReport>;
  /** What the answer may hold; set for operations of clients, while REST limits its own. */
  answer?: AnswerBudget;
  /** From now on, what is asked for has that long: later reads fail, and MongoDB stops those that run (TIMED_OUT). */
  limitTime(ms: number): void;
  readonly environment: Environment;
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
  readonly seed?: string | undefined;
}

export function createContext(parts: ContextParts, viewer: Viewer | undefined, info: RequestInfo): Context {
  const { requestId, seed } = info;
  const sources = seed === undefined ? parts.sources : seededClockAndIds(parts.sources, seed);
  const origin: RequestOrigin = {
    requestId,
    get address() {
      return info.address === undefined ? undefined : plainAddress(info.address);
    },
    get operation() {
      return operationOf(info);
    },
  };
  const domain = new Domain(viewer, parts.stores, { sources, origin });
  let hangUp: HangUp | undefined;
  let loaders: Loaders | undefined;
  let analyses: Analyses | undefined;
  return {
    viewer,
    requestId,
    domain,
    get load() {
      loaders ??= new Loaders(domain);
      return loaders;
    },
    get analyse() {
      analyses ??= new Analyses(this.load);
      return analyses;
    },
    get lastEventId() {
      return [info.request.headers['last-event-id']].flat()[0] || undefined;
    },
    get webhooks() {
      return domain.webhooks(parts.webhookRules);
    },
    get gone() {
      hangUp ??= hangUpOf(info.request);
      return hangUp.signal;
    },
    get session() {
      return new SessionActions(parts.sessions, viewer, { request: info.request, origin });
    },
    health: parts.health,
    limitTime: (ms) => domain.limitTime(ms),
    environment: parts.environment,
    dispose: () => {
      hangUp?.dispose();
      return domain.close();
    },
  };
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
