import { ServiceError } from '../../errors.ts';
import { Room } from './room.ts';

/** How many bodies of the largest size there is room for, and how many of them one tenant may have. */
const BODIES = 4;
const BODIES_OF_TENANT = 2;
/** For how long a body waits for room, in milliseconds. */
const MOST_WAIT_MS = 60_000;

/** The memory for large bodies of one process, from their arrival until their requests are answered; they wait unread. */
export class BodyRoom extends Room {
  /** `largest` is the size of the largest body, in bytes. */
  constructor(largest: number, waitMs = MOST_WAIT_MS) {
    super({ bytes: BODIES * largest, ofTenant: BODIES_OF_TENANT * largest, waitMs, refusal: tooMany });
  }
}

/** The connection cannot be used again: what is left of the body would be read as the next request. */
const tooMany = (): ServiceError =>
  new ServiceError('UNAVAILABLE', 'Too many large bodies are being received; send the request again later.', {
    headers: { 'Retry-After': '10', Connection: 'close' },
  });
