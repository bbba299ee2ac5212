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
  readonly #kept = new WeakMap<IncomingMessage, ServerResponse | readonly string[]>();

  constructor(quota: number, windowSeconds: number) {
    this.#policy = `"default";q=${quota};w=${windowSeconds}`;
  }

  /** The headers of a request are set on its response as soon as it is counted, because nothing takes them by `of`. */
  open(request: IncomingMessage, response: ServerResponse): void {
    this.#kept.set(request, response);
  }

  /** Tells the client of a request that was counted. */
  put(request: IncomingMessage, { left, ms }: Standing): void {
    const limit = `"default";r=${left};t=${Math.max(0, Math.ceil(ms / 1000))}`;
    const response = this.#kept.get(request);
    if (response === undefined || isHeaders(response)) {
      this.#kept.set(request, ['RateLimit-Policy', this.#policy, 'RateLimit', limit]);
    } else if (!response.headersSent) {
      response.setHeader('RateLimit-Policy', this.#policy);
      response.setHeader('RateLimit', limit);
    }
  }

  /** The headers of a request, names and values in turn; none if it was not counted, or if they are set already. */
  of(request: IncomingMessage): readonly string[] {
    const kept = this.#kept.get(request);
    return kept !== undefined && isHeaders(kept) ? kept : NONE;
  }
}

const NONE: readonly string[] = [];

const isHeaders = (kept: ServerResponse | readonly string[]): kept is readonly string[] => Array.isArray(kept);
