import type { IncomingMessage } from 'node:http';
import cors from 'cors';
import type { Config } from './config.ts';
import type { Handler } from './http/connections/handler.ts';
import { putStandingHeaders, type StandingHeaders } from './http/standing-headers.ts';

/** Lets pages of the configured origins use the service, and answers their preflights; without any origin, adds nothing. */
export function withCors(serve: Handler, { corsOrigins }: Config, headers: StandingHeaders): Handler {
  if (corsOrigins.length === 0) return serve;
  const rules = { origin: [...corsOrigins], credentials: true, exposedHeaders: EXPOSED_HEADERS };
  const allow = cors<IncomingMessage>(({ headers: { origin, 'access-control-request-method': method } }, decide) => {
    decide(null, { ...rules, preflightContinue: origin === undefined || method === undefined });
  });
  return (request, response) => {
    putStandingHeaders(response, headers);
    allow(request, response, () => serve(request, response));
  };
}

const EXPOSED_HEADERS = [
  'ETag',
  'Location',
  'Link',
  'X-Total-Count',
  'Preference-Applied',
  'X-Request-Id',
  'Idempotency-Replayed',
  'X-Job-Placement',
  'Content-Disposition',
  'Content-Range',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
];
