import type { IncomingMessage } from 'node:http';
import { parseCookie } from 'cookie';
import { unauthenticated } from '../errors.ts';
import type { RateLimitHeaders } from '../http/rate-limit-headers.ts';
import type { CredentialCache } from './credential-cache.ts';
import { refuseForgery } from './csrf.ts';
import type { ProxyAwareRequest } from './proxy-aware-request.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Viewer } from './viewer.ts';

/** Authenticates a request; `changes` is true if it may write. */
export type Authenticate = (
  request: IncomingMessage,
  changes: boolean,
) => Viewer | undefined | Promise<Viewer | undefined>;

interface AuthenticatorParts {
  readonly keys: CredentialCache;
  readonly sessions: CredentialCache;
  /** Verifies JSON Web Tokens, if they are accepted. */
  readonly tokens: CredentialCache | undefined;
  readonly client: ProxyAwareRequest;
  /** The name of the session cookie. */
  readonly cookie: string;
  /** The rate limit of principals, if there is one. */
  readonly limit: RateLimit | undefined;
  /** Tells a client how much of its rate limit remains. */
  readonly limitHeaders?: RateLimitHeaders | undefined;
}

/**
 * Authenticates a request (contract §2), preferring the Authorization header to the cookie. Returns undefined without a
 * credential; throws UNAUTHENTICATED if it is invalid, FORBIDDEN for a session's write that may be forged, or RATE_LIMITED.
 */
export function authenticator(parts: AuthenticatorParts): Authenticate {
  const { keys, sessions, tokens, client, limit, limitHeaders } = parts;
  const admit = (viewer: Viewer, request: IncomingMessage): Viewer | Promise<Viewer> => {
    const counting = limit?.count(countedAs(viewer), (standing) => limitHeaders?.put(request, standing));
    return counting === undefined ? viewer : counting.then(() => viewer);
  };
  const byHeader = (header: string, request: IncomingMessage): Viewer | Promise<Viewer> => {
    const [, secret] = /^bearer +(\S+) *$/i.exec(header) ?? [];
    if (secret === undefined) throw unauthenticated('The Authorization header must be "Bearer <API key>".');
    const viewer = (tokens && TOKEN.test(secret) ? tokens : keys).viewerOf(secret);
    return when(viewer, (known) => admit(good(known, 'The API key is unknown, expired or revoked.'), request));
  };
  const byCookie = (token: string, request: IncomingMessage, changes: boolean): Viewer | Promise<Viewer> =>
    when(sessions.viewerOf(token), (known) => {
      const viewer = good(known, 'The session has ended, or there never was one; sign in again.');
      if (changes) refuseForgery(request, client);
      return admit(viewer, request);
    });
  return (request, changes) => {
    const { authorization, cookie } = request.headers;
    if (authorization !== undefined) return byHeader(authorization, request);
    const token = cookie === undefined ? undefined : parseCookie(cookie)[parts.cookie];
    return token ? byCookie(token, request, changes) : undefined;
  };
}

const counted = new WeakMap<Viewer, string>();

/** A token's id is the same in every tenant that its issuer names, so principals are counted by tenant and id. */
function countedAs(viewer: Viewer): string {
  const known = counted.get(viewer);
  if (known !== undefined) return known;
  const name = `${viewer.tenant}:${viewer.id}`;
  counted.set(viewer, name);
  return name;
}

/** A JSON Web Token: three parts separated by dots; the last may be empty. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/;

function good(viewer: Viewer | undefined, otherwise: string): Viewer {
  if (viewer) return viewer;
  throw unauthenticated(otherwise);
}

/** Continues synchronously if the value is not a promise. */
function when<T, U>(value: T | Promise<T>, then: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(then) : then(value);
}
