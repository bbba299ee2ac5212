import { createServer, type Server } from 'node:http';
import express, { type Request, type Response } from 'express';
import { endpoints } from '../rest-compat/endpoints.ts';
import { Exchange } from '../rest-compat/exchange.ts';
import { requestIdOf } from '../rest-compat/request-id.ts';
import { toExpress } from '../rest-compat/to-express.ts';
import { toOpenApi } from '../rest-compat/to-openapi.ts';
import { schema } from '../schema/schema.ts';
import { authenticator } from './auth/authenticate.ts';
import { KeyRing } from './auth/keys.ts';
import type { Config } from './config.ts';
import { DEMO_KEYS } from './demo/principals.ts';
import type { Sources } from './domain/sources.ts';
import { ServiceError } from './errors.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { graphiql, graphiqlAssets } from './graphiql.ts';
import { createGraphql } from './graphql.ts';
import type { Log } from './log.ts';
import { healthCheck } from './store/health.ts';
import { IdempotencyKeys } from './store/idempotency.ts';
import type { Stores } from './store/stores.ts';
import { VERSION } from './version.ts';

export interface AppParts {
  readonly config: Config;
  readonly stores: Stores;
  readonly log: Log;
  readonly sources: Sources;
}

export interface App {
  readonly gateway: Gateway;
  /** Listens nowhere yet. */
  readonly server: Server;
}

/** Composes the service: REST endpoints first, then what Express serves (GraphQL, GraphiQL, OpenAPI), then 404. */
export function createApp({ config, stores, log, sources }: AppParts): App {
  const demo = config.environment === 'demo';
  const keys = new KeyRing((hash) => stores.principals.findKey(hash), demo);
  const gateway = createGateway({
    schema,
    stores,
    sources,
    log,
    authenticate: authenticator(keys),
    health: healthCheck(stores.db),
  });
  const rest = toExpress(endpoints, gateway, {
    log,
    maxBodyBytes: config.maxBodyBytes,
    idempotency: new IdempotencyKeys(stores.db),
  });
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', config.trustProxy);
  app.set('query parser', 'simple');
  app.set('etag', false);

  const openApi = toOpenApi(endpoints, gateway, { baseUrl: config.baseUrl, version: VERSION });
  app.get('/openapi.json', (_request, response) => void response.json(openApi));
  app.use(graphiqlAssets());
  app.all('/graphql', graphiql({ keys: demo ? DEMO_KEYS.map(({ key, name }) => ({ key, label: name })) : [] }));
  const graphql = createGraphql({ gateway, config, log });
  app.all('/graphql', (request, response) => {
    const requestId = requestIdOf(request);
    response.setHeader('X-Request-Id', requestId);
    void graphql.handle(request, response, { req: request, res: response, requestId });
  });

  const server = createServer((request, response) => {
    rest(request, response, () =>
      app(request as Request, response as Response, (error?: unknown) => {
        const exchange = new Exchange(request, response, { log });
        exchange.fail(error ?? new ServiceError('NOT_FOUND', `There is nothing at ${exchange.path}.`));
      }),
    );
  });
  return { gateway, server };
}
