import type { IncomingMessage } from 'node:http';
import { forbidden } from '../errors.ts';
import { isJson } from '../http/media-type.ts';
import type { ProxyAwareRequest } from './proxy-aware-request.ts';

/**
 * Rejects requests that another site could have made a browser send with the session cookie (contract §11): a write
 * needs a header that such a site cannot send and, if it comes from a page, an allowed origin.
 */
export function refuseForgery(request: IncomingMessage, client: ProxyAwareRequest): void {
  refuseForeignPage(request, client);
  if (request.headers['x-requested-with'] !== undefined || isJson(request)) return;
  throw forbidden(
    'A change that is made in a session needs the header X-Requested-With (any value), or a JSON body with its Content-Type.',
  );
}

/** Rejects a request from a page of another origin, unless CORS_ORIGINS lists that origin. */
export function refuseForeignPage(request: IncomingMessage, client: ProxyAwareRequest): void {
  if (client.isWelcome(request)) return;
  throw forbidden(`Pages of the origin ${request.headers.origin} may not use sessions of this service.`);
}
