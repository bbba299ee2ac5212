import type { IncomingMessage, ServerResponse } from 'node:http';

/** What is left of a quota, and for how long. */
export interface Standing {
  readonly left: number;
  readonly ms: number;
}

/** Where a request has what its answer will say: a WeakMap of requests costs more than the headers themselves. */
const KEPT = Symbol('rate limit');

interface Counted extends IncomingMessage {
  [KEPT]?: ServerResponse | readonly string[];
}

/**
 * Tells clients of a rate limit how much of it they have left, whatever their request is answered with: `RateLimit-Policy`
 * and `RateLimit` of draft-ietf-httpapi-ratelimit-headers.
 */
export class RateLimitHeaders {
  readonly #policy: string;

  constructor(quota: number, windowSeconds: number) {
    this.#policy = `"default";q=${quota};w=${windowSeconds}`;
  }

  /** The headers of a request are set on its response as soon as it is counted, because nothing takes them by `of`. */
  open(request: Counted, response: ServerResponse): void {
    request[KEPT] = response;
  }

  /** Tells the client of a request that was counted. */
  put(request: Counted, { left, ms }: Standing): void {
    const limit = `"default";r=${left};t=${Math.max(0, Math.ceil(ms / 1000))}`;
    const response = request[KEPT];
    if (response === undefined || isHeaders(response)) {
      request[KEPT] = ['RateLimit-Policy', this.#policy, 'RateLimit', limit];
    } else if (!response.headersSent) {
      response.setHeader('RateLimit-Policy', this.#policy);
      response.setHeader('RateLimit', limit);
    }
  }

  /** The headers of a request, names and values in turn; none if it was not counted, or if they are set already. */
  of(request: Counted): readonly string[] {
    const kept = request[KEPT];
    return kept !== undefined && isHeaders(kept) ? kept : NONE;
  }
}

const NONE: readonly string[] = [];

const isHeaders = (kept: ServerResponse | readonly string[]): kept is readonly string[] => Array.isArray(kept);
