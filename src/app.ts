import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import { endpoints } from '../rest-compat/endpoints.ts';
import { Exchange } from '../rest-compat/exchange.ts';
import type { IdempotencyStore } from '../rest-compat/serve/idempotency.ts';
import { restHandler } from '../rest-compat/serve/router.ts';
import { schema } from '../schema/schema.ts';
import { authenticator } from './auth/authenticate.ts';
import { apiKeys } from './auth/keys.ts';
import { ProxyAwareRequest } from './auth/proxy-aware-request.ts';
import { RateLimit } from './auth/rate-limit.ts';
import { Sessions } from './auth/sessions.ts';
import { jwtVerifier } from './auth/tokens.ts';
import type { Config } from './config.ts';
import { withCors } from './cors.ts';
import type { ClockAndIds } from './domain/request/clock-and-ids.ts';
import { mapDatabaseErrors } from './error-masking.ts';
import { ServiceError } from './errors.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { RepeatedDocuments } from './graphql/execution/repeated-documents.ts';
import { graphqlEndpoint, isGraphqlPost } from './graphql/http/endpoint.ts';
import { openGraphql } from './graphql/http/graphql-request.ts';
import { createGraphql } from './graphql/http/yoga.ts';
import { PersistedOperations } from './graphql/persisted/persisted-operations.ts';
import { readTrustedDocuments } from './graphql/persisted/trusted-documents.ts';
import { openFrontDoor } from './http/connections/front-door.ts';
import type { Handler } from './http/connections/handler.ts';
import { knownHosts } from './http/known-hosts.ts';
import { RateLimitHeaders } from './http/rate-limit-headers.ts';
import {
  headerError,
  MAX_HEADER_BYTES,
  MAX_HEADER_FIELDS,
  restoreMethod,
  serveRefused,
} from './http/refused-requests.ts';
import { requestIdOf } from './http/request-id.ts';
import { AnswerRoom } from './http/rooms/answer-room.ts';
import { BodyRoom } from './http/rooms/body-room.ts';
import { putStandingHeaders, standingHeaders } from './http/standing-headers.ts';
import type { Log } from './log.ts';
import { HOST_PREFIX, sessionCookieIn } from './model/session.ts';
import { pages } from './pages/pages.ts';
import { IdempotencyKeys } from './store/access/idempotency.ts';
import { RequestCounts, WINDOW_SECONDS } from './store/access/request-counts.ts';
import type { Stores } from './store/stores.ts';
import type { Tracing } from './telemetry/tracing.ts';
import { SecretBox } from './webhooks/secret-box.ts';

/** What the service is composed of. */
export interface AppParts {
  readonly config: Config;
  readonly stores: Stores;
  readonly log: Log;
  readonly sources: ClockAndIds;
  /** Whether a stop was requested; the service is then no longer ready. */
  readonly isStopping?: () => boolean;
  /** Undefined if nothing is traced. */
  readonly tracing?: Pick<Tracing, 'requests' | 'operation' | 'events'> | undefined;
  /** Serves /graphql in place of createGraphql. */
  readonly graphqlServer?: typeof createGraphql | undefined;
}

interface App {
  readonly gateway: Gateway;
  /** Not listening yet. */
  readonly server: Server;
}

/** Composes the service: REST endpoints first, then what Express serves (GraphQL, GraphiQL, OpenAPI), then 404. */
export function createApp({
  config,
  stores,
  log,
  sources,
  isStopping = () => false,
  tracing,
  graphqlServer = createGraphql,
}: AppParts): App {
  const client = new ProxyAwareRequest(config);
  const callers = callersOf({ config, stores, sources }, client);
  const { limitHeaders } = callers;
  const basePath = new URL(config.baseUrl).pathname.replace(/\/$/, '');
  const gateway = gatewayFor({ config, stores, log, sources, tracing }, callers, basePath);
  const addressOf = (request: IncomingMessage) => client.addressOf(request);
  const headers = standingHeaders(config);
  // CORS adds to headers that are already set; without CORS, REST answers faster if none are set beforehand.
  const standing = config.corsOrigins.length > 0 ? [] : headers;
  const refuse = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
    const exchange = new Exchange(request, response, { log, addressOf });
    exchange.fail(error ?? new ServiceError('NOT_FOUND', `There is nothing at ${exchange.path}.`));
  };
  const { environment, maxBodyBytes, maxFileBytes, stalls } = config;
  const { watch } = stores;
  const bodyRoom = new BodyRoom(maxBodyBytes);
  const answerRoom = new AnswerRoom(Math.max(config.graphql.maxAnswerBytes, maxBodyBytes), stalls.readerMs);
  const limits = { maxBodyBytes, maxFileBytes, stalls };
  const rest = restHandler(endpoints, gateway, {
    log,
    ...limits,
    bodyRoom,
    answerRoom,
    listReadMs: config.graphql.timeoutMs,
    idempotency: idempotencyKeys(stores),
    availability: watch,
    isSecure: (request) => client.isSecure(request),
    cookiePrefix: environment === 'demo' ? '' : HOST_PREFIX,
    addressOf,
    basePath,
    standing,
    countHeaders: limitHeaders && ((request) => limitHeaders.of(request)),
  });
  const app = pages({ config, stores, gateway, basePath, isStopping, refuse });
  const persisted = persistedOperations(config);
  const documents = new RepeatedDocuments();
  const yoga = graphqlServer({ gateway, config, log, persisted, documents, answerRoom, watch, tracing });
  const graphql = graphqlEndpoint(yoga, persisted, {
    gateway,
    watch,
    environment,
    bodyRoom,
    log,
    documents,
    ...limits,
  });
  app.all('/graphql', (request, response) => graphql(openGraphql(request, response, { log, addressOf, standing: [] })));

  const serve: Handler = (request, response) => {
    if (isStopping()) response.shouldKeepAlive = false; // so that the client's next request goes to another gateway
    restoreMethod(request, response);
    const refusal = headerError(request);
    if (refusal) {
      response.shouldKeepAlive = false; // whoever parses it differently may read what follows as another request
      return new Exchange(request, response, { log, addressOf, standing }).fail(refusal);
    }
    rest(request, response, () => {
      if (isGraphqlPost(request))
        return graphql(openGraphql(request, response, { log, addressOf, standing, limitHeaders }));
      limitHeaders?.open(request, response);
      putStandingHeaders(response, standing);
      response.setHeader('X-Request-Id', requestIdOf(request));
      app(request as Request, response as Response, (error?: unknown) => refuse(request, response, error));
    });
  };
  return { gateway, server: serverFor({ config, log, tracing }, { serve, refuse, headers }) };
}

/** What tells who is calling: a session, a key or a token. */
function callersOf(
  { config, stores, sources }: Pick<AppParts, 'config' | 'stores' | 'sources'>,
  client: ProxyAwareRequest,
) {
  const demo = config.environment === 'demo';
  const now = () => sources.now();
  const cookie = sessionCookieIn(config.environment);
  const sessions = new Sessions({
    stores,
    client,
    cookie,
    demo,
    ttlSeconds: config.sessionTtlSeconds,
    idleSeconds: config.sessionIdleSeconds,
    now,
  });
  const credentials = {
    cookie,
    keys: apiKeys({
      find: (hash) => stores.principals.findKey(hash),
      noteUse: (...use) => stores.principals.noteUse(...use),
      demo,
      now,
    }),
    sessions: sessions.ring,
    tokens: config.jwt && jwtVerifier(config.jwt, now),
    client,
  };
  const limitHeaders =
    config.rateLimitPerMinute > 0 ? new RateLimitHeaders(config.rateLimitPerMinute, WINDOW_SECONDS) : undefined;
  return {
    sessions,
    limitHeaders,
    authenticate: authenticator({ ...credentials, limit: rateLimit(stores, config), limitHeaders }),
    recheck: authenticator({ ...credentials, limit: undefined }),
  };
}

type Callers = ReturnType<typeof callersOf>;

function gatewayFor(
  { config, stores, log, sources, tracing }: AppParts,
  { sessions, authenticate, recheck }: Callers,
  basePath: string,
): Gateway {
  return createGateway({
    schema,
    stores,
    sources,
    log,
    sessions,
    authenticate,
    recheck,
    health: () => stores.health.check(),
    environment: config.environment,
    basePath,
    webhookRules: {
      allowed: config.webhooks.allowPrivate,
      httpsOnly: config.environment === 'production',
      maxPerTenant: config.webhooks.maxPerTenant,
      secretBox: new SecretBox(config.webhooks.secretKeys),
    },
    jit: config.graphql.jit === 'on',
    tracing,
  });
}

interface Served {
  readonly serve: Handler;
  /** Answers a request that cannot be served. */
  readonly refuse: (request: IncomingMessage, response: ServerResponse, error: unknown) => void;
  /** The headers of every answer. */
  readonly headers: ReturnType<typeof standingHeaders>;
}

/** A server for these requests; what is no valid HTTP is answered as well. */
function serverFor(
  { config, log, tracing }: Pick<AppParts, 'config' | 'log' | 'tracing'>,
  { serve, refuse, headers }: Served,
): Server {
  const server = createServer({ ...SERVER_LIMITS, keepAliveTimeout: config.keepAliveMs, requireHostHeader: false });
  server.maxHeadersCount = MAX_HEADER_FIELDS;
  const guardedServe = guarded(withCors(serve, config, headers), log);
  openFrontDoor(server, {
    serve: tracing?.requests(guardedServe) ?? guardedServe,
    hosts: knownHosts(config),
    refuse: (request, response, error) => {
      putStandingHeaders(response, headers);
      refuse(request, response, error);
    },
    readerStallMs: config.stalls.readerMs,
  });
  serveRefused(server, { log, headers });
  return server;
}

/** Operations that clients name instead of sending; reads and checks those that the operator provides. */
function persistedOperations({ graphql }: Config): PersistedOperations {
  const { persistedOperations: mode, persistedOperationsPath: path } = graphql;
  return new PersistedOperations(mode, path === undefined ? undefined : readTrustedDocuments(path, schema, graphql));
}

/** Undefined if there is no limit, so nothing is counted. While MongoDB takes no writes, each process grants a share per second. */
function rateLimit({ db, watch }: Stores, { rateLimitPerMinute }: Config): RateLimit | undefined {
  if (rateLimitPerMinute === 0) return undefined;
  const counts = new RequestCounts(db, rateLimitPerMinute);
  const take: RequestCounts['take'] = async (principal, amount) =>
    watch.isOut(true)
      ? { granted: amount, left: 0, msLeft: UNCOUNTED_MS }
      : watch.race(counts.take(principal, amount), true);
  return new RateLimit({ take }, rateLimitPerMinute);
}

/** Used Idempotency-Keys; a request whose key cannot be looked up is answered with UNAVAILABLE. */
function idempotencyKeys({ db, files, clock }: Stores): IdempotencyStore {
  const keys = new IdempotencyKeys(db, files, clock);
  return {
    claim: (use) => mapDatabaseErrors(keys.claim(use)),
    read: (use, answer, tenant) => mapDatabaseErrors(keys.read(use, answer, tenant)),
    settle: (use, answer) => mapDatabaseErrors(keys.settle(use, answer)),
    release: (use) => mapDatabaseErrors(keys.release(use)),
  };
}

/** How long an uncounted share lasts. */
const UNCOUNTED_MS = 1_000;

/** A large file on a slow line takes longer than Node's default of five minutes; a stalled upload is cut off much sooner. */
const REQUEST_TIMEOUT_MS = 6 * 60 * 60_000;

const SERVER_LIMITS = { requestTimeout: REQUEST_TIMEOUT_MS, maxHeaderSize: MAX_HEADER_BYTES };

/** A handler whose error is thrown or left unhandled loses only its own connection. */
const guarded =
  (serve: Handler, log: Log): Handler =>
  (request, response) => {
    try {
      serve(request, response);
    } catch (err) {
      log.error({ err }, 'a request failed unexpectedly; its connection is closed');
      response.destroy();
    }
  };
