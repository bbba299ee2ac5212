import type { IncomingMessage, ServerResponse } from 'node:http';

/** What is left of a quota, and for how long. */
export interface Standing {
  readonly left: number;
  readonly ms: number;
}

/**
 * Tells clients of a rate limit how much of it they have left, whatever their request is answered with: `RateLimit-Policy`
 * and `RateLimit` of draft-ietf-httpapi-ratelimit-headers.
 */
export class RateLimitHeaders {
  readonly #policy: string;
  readonly #responses = new WeakMap<IncomingMessage, ServerResponse>();

  constructor(quota: number, windowSeconds: number) {
    this.#policy = `"default";q=${quota};w=${windowSeconds}`;
  }

  /** Remembers which response belongs to a request that may be counted. */
  open(request: IncomingMessage, response: ServerResponse): void {
    this.#responses.set(request, response);
  }

  /** Puts the headers on the response to a counted request. */
  put(request: IncomingMessage, { left, ms }: Standing): void {
    const response = this.#responses.get(request);
    if (!response || response.headersSent) return;
    response.setHeader('RateLimit-Policy', this.#policy);
    response.setHeader('RateLimit', `"default";r=${left};t=${Math.max(0, Math.ceil(ms / 1000))}`);
  }
}
