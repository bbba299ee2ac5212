import type { RequestHandler } from 'express';
import { ServiceError } from '../errors.ts';

/** What the paths outside REST take. */
const METHODS = 'GET, HEAD, OPTIONS';
const GRAPHQL_METHODS = 'GET, POST';

/** Refuses a method that a path outside REST does not have (405); mounted after everything that serves such a path. */
export function allowedMethods(paths: readonly string[]): RequestHandler {
  const methods = new Map([...paths.map((path) => [path, METHODS] as const), ['/graphql', GRAPHQL_METHODS]]);
  return ({ method, path }, _response, next) => {
    const allow = methods.get(path === '/' ? path : path.replace(/\/$/, ''));
    if (allow === undefined) return next();
    const detail = `${method} does not exist on this path. Allowed: ${allow}.`;
    next(new ServiceError('METHOD_NOT_ALLOWED', detail, { headers: { Allow: allow } }));
  };
}
