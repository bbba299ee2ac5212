import type { RequestHandler } from 'express';
import { ServiceError } from '../errors.ts';

/** The methods of paths outside REST. */
const METHODS = 'GET, HEAD, OPTIONS';
const GRAPHQL_METHODS = 'GET, HEAD, POST, OPTIONS';

/** Answers OPTIONS on paths outside REST, and rejects methods they do not support (405). */
export function allowedMethods(paths: readonly string[]): RequestHandler {
  const methods = new Map([...paths.map((path) => [path, METHODS] as const), ['/graphql', GRAPHQL_METHODS]]);
  return ({ method, path }, response, next) => {
    const allow = methods.get(path === '/' ? path : path.replace(/\/$/, ''));
    if (allow === undefined) return next();
    if (method === 'OPTIONS') return void response.status(204).set('Allow', allow).end();
    if (allow.split(', ').includes(method)) return next();
    const detail = `${method} does not exist on this path. Allowed: ${allow}.`;
    next(new ServiceError('METHOD_NOT_ALLOWED', detail, { headers: { Allow: allow } }));
  };
}
