import type { IncomingMessage, ServerResponse } from 'node:http';

/** What is left of a quota, and for how long. */
export interface Standing {
  readonly left: number;
  readonly ms: number;
}

/** The request property for its rate limit: a WeakMap of requests costs more than the headers themselves. */
const KEPT = Symbol('rate limit');

interface Counted extends IncomingMessage {
  [KEPT]?: ServerResponse | readonly string[];
}

/**
 * Tells clients how much of their rate limit is left, on every response: `RateLimit-Policy` and `RateLimit` of
 * draft-ietf-httpapi-ratelimit-headers.
 */
export class RateLimitHeaders {
  readonly #policy: string;

  constructor(quota: number, windowSeconds: number) {
    this.#policy = `"default";q=${quota};w=${windowSeconds}`;
  }

  /** Sets the headers on the response as soon as the request is counted, for callers that do not use `of`. */
  open(request: Counted, response: ServerResponse): void {
    request[KEPT] = response;
  }

  /** Sets or keeps the headers of a counted request. */
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

  /** The headers of a request, alternating names and values; empty if it was not counted, or they are already set. */
  of(request: Counted): readonly string[] {
    const kept = request[KEPT];
    return kept !== undefined && isHeaders(kept) ? kept : NONE;
  }
}

const NONE: readonly string[] = [];

const isHeaders = (kept: ServerResponse | readonly string[]): kept is readonly string[] => Array.isArray(kept);
