import type { IncomingMessage } from 'node:http';
import { v7 } from 'uuid';

const SANE = /^[\x21-\x7e]{1,128}$/;

/** The client's X-Request-Id where it is 1 to 128 visible ASCII characters, else a new UUID (version 7). */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : v7();
}
