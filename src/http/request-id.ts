import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { v7 } from 'uuid';

const SANE = /^[\x21-\x7e]{1,128}$/;

/** The client's X-Request-Id if it is 1 to 128 visible ASCII characters, otherwise a new UUID (version 7). */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : newRequestId();
}

const MAX_TRACE = 128;

/** The header `traceparent` (W3C Trace Context) for the log; ignored if it is too long to be valid. */
export function traceOf({ headers }: IncomingMessage): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' && traceparent.length <= MAX_TRACE ? traceparent : undefined;
}

const BYTES = 16;
const pool = new Uint8Array(256 * BYTES); // random bytes are cheaper in bulk than one id at a time
let used = pool.length;

/** A new UUID (version 7). */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += BYTES;
  return v7({ random: pool.subarray(used - BYTES, used) });
}
