import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { v7 } from 'uuid';

const SANE = /^[\x21-\x7e]{1,128}$/;

/** The client's X-Request-Id where it is 1 to 128 visible ASCII characters, else a new UUID (version 7). */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : newRequestId();
}

const BYTES = 16;
const pool = new Uint8Array(256 * BYTES); // random bytes are cheaper by the thousand than one id at a time
let used = pool.length;

function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += BYTES;
  return v7({ random: pool.subarray(used - BYTES, used) });
}
