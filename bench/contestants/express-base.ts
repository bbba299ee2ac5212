import { hash, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import compression from 'compression';
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response } from 'express';
import { pino } from 'pino';
import { job } from '../../src/model/document-types/job.ts';
import type { StoredDocument } from '../../src/model/entity/entity.ts';
import { schemaIdOf } from '../../src/model/fields/schema-ids.ts';
import type { StoredKey } from '../../src/store/access/principals.ts';
import { type Jobs, Refused } from './jobs.ts';

const log = pino({ level: process.env.LOG_LEVEL ?? 'info' });
const BELIEVED_MS = 4_000;

/** An Express 5 application with the middleware of every request: request id, one log line, the API key. */
export function expressBase(jobs: Jobs): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false); // versions have ids, so nothing needs to be hashed
  app.use(requestLog, compressed, authentication(jobs));
  return app;
}

/** Excludes event streams: compression would hold events back until the next ones. */
const filter: compression.CompressionFilter = (request, response) =>
  !String(response.getHeader('Content-Type')).startsWith('text/event-stream') && compression.filter(request, response);

const compress = compression({ filter });

/** Compresses only for clients that ask for it, so that it costs the others nothing. */
const compressed: RequestHandler = (request, response, next) => {
  if (request.get('accept-encoding')) compress(request, response, next);
  else next();
};

const requestLog: RequestHandler = (request, response, next) => {
  const started = performance.now();
  const id = request.get('x-request-id') ?? randomUUID();
  response.set('X-Request-Id', id);
  response.once('finish', () => {
    const { method, path } = request;
    const { statusCode: status, locals } = response;
    log.info(
      { id, method, path, status, ms: performance.now() - started, tenant: locals.principal?.tenant },
      'request',
    );
  });
  next();
};

/** Looks keys up by their hash, and caches them for some seconds. */
function authentication({ principals }: Jobs): RequestHandler {
  const known = new Map<string, { readonly principal: StoredKey; readonly until: number }>();
  return async (request, response, next) => {
    const [, key] = /^Bearer (\S+)$/.exec(request.get('authorization') ?? '') ?? [];
    if (!key) throw new Refused(401, 'An API key is needed.');
    const hashed = hash('sha256', key, 'base64url');
    let entry = known.get(hashed);
    if (!entry || entry.until < Date.now()) {
      const principal = await principals.findOne({ kind: 'key', hash: hashed, revoked_at: { $exists: false } });
      if (!principal) throw new Refused(401, 'The API key is unknown or revoked.');
      entry = { principal, until: Date.now() + BELIEVED_MS };
      known.set(hashed, entry);
    }
    response.locals.principal = entry.principal;
    next();
  };
}

export const principalOf = ({ locals }: Response): StoredKey => locals.principal as StoredKey;

const onError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const status = error instanceof Refused ? error.status : 500;
  if (status === 500) log.error({ err: error }, 'request failed');
  const detail = error instanceof Refused ? error.message : 'Something went wrong.';
  response.status(status).type('application/problem+json').json({ status, detail });
};

/** Listens, and prints the address. */
export function serve(app: Express): void {
  app.use(onError);
  const server = app.listen(Number(process.env.PORT), '127.0.0.1', () => {
    process.stdout.write(`Ready: it serves http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
  process.once('SIGTERM', () => process.exit());
}

export const JOB_SCHEMA_ID = schemaIdOf(job.name);

/** A document in its v2 envelope. */
export const envelopeOf = (document: StoredDocument) => ({
  id: document._id,
  version_id: document.version_id,
  parent_id: document.parent_id,
  created_by: document.created_by,
  created_at: document.created_at,
  modified_by: document.modified_by,
  modified_at: document.modified_at,
  type: document.type,
  body: document.body,
  meta: { workspace: document.workspace },
  schema: JOB_SCHEMA_ID,
});
