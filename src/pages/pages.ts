import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express } from 'express';
import { endpoints } from '../../rest-compat/endpoints.ts';
import { openApiDocuments } from '../../rest-compat/openapi/document.ts';
import { schema } from '../../schema/schema.ts';
import type { Config } from '../config.ts';
import { DEMO_KEYS } from '../demo/principals.ts';
import type { Gateway } from '../gateway.ts';
import { sessionCookieIn } from '../model/session.ts';
import type { Stores } from '../store/stores.ts';
import { VERSION } from '../version.ts';
import { allowedMethods } from './allowed-methods.ts';
import { dashboard } from './dashboard.ts';
import { docs } from './docs.ts';
import { graphiql, graphiqlFiles } from './graphiql.ts';
import { landing } from './landing.ts';
import { probes } from './probes.ts';
import { everybody, knownReaders } from './readers.ts';

interface PagesParts {
  readonly config: Config;
  readonly stores: Stores;
  readonly gateway: Gateway;
  /** The path of the service's address, where it has one. */
  readonly basePath: string;
  readonly isStopping: () => boolean;
  refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void;
}

/** The pages for a browser, GraphiQL at /graphql included, the OpenAPI documents, and the probes. */
export function pages({ config, stores, gateway, basePath, isStopping, refuse }: PagesParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', config.trustProxy);
  app.set('query parser', 'simple');
  app.set('etag', false);

  const keys = config.environment === 'demo' ? DEMO_KEYS.map(({ key, name }) => ({ key, label: name })) : [];
  const parts = { basePath, keys };
  const cookie = sessionCookieIn(config.environment);
  const documents = openApiDocuments(endpoints, gateway, { baseUrl: config.baseUrl, version: VERSION, cookie });
  const readers = config.publicDocs ? everybody : knownReaders({ basePath, gateway, watch: stores.watch, refuse });
  app.use(allowedMethods(['/', '/docs', '/dashboard', '/livez', '/readyz', ...documents.keys()]));
  app.use(probes({ health: () => stores.health.check(), isStopping }));
  app.use(landing({ ...parts, config, schema, endpoints: endpoints.length }));
  app.use(readers.files);
  app.use(docs({ ...parts, documents, admit: readers.admit }));
  app.use(dashboard(parts));
  app.use(graphiqlFiles);
  app.all('/graphql', graphiql({ ...parts, admit: readers.admit }));
  return app;
}
