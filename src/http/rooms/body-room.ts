import { ServiceError } from '../../errors.ts';
import { Room } from './room.ts';

/** The room, in bodies of the maximum size, and one tenant's share of it. */
const BODIES = 4;
const BODIES_OF_TENANT = 2;
/** How long a body waits for room, in milliseconds. */
const MOST_WAIT_MS = 60_000;

/** One process's memory for large bodies, from arrival until their requests are answered; while waiting, they are unread. */
export class BodyRoom extends Room {
  /** `largest` is the maximum body size, in bytes. */
  constructor(largest: number, waitMs = MOST_WAIT_MS) {
    super({ bytes: BODIES * largest, ofTenant: BODIES_OF_TENANT * largest, waitMs, refusal: tooMany });
  }
}

/** The connection cannot be reused: the rest of the body would be read as the next request. */
const tooMany = (): ServiceError =>
  new ServiceError('UNAVAILABLE', 'Too many large bodies are being received; send the request again later.', {
    headers: { 'Retry-After': '10', Connection: 'close' },
  });
