import type { IncomingMessage } from 'node:http';
import type { ServiceError } from '../../src/errors.ts';
import type { AnswerRoom } from '../../src/http/rooms/answer-room.ts';
import type { BodyRoom } from '../../src/http/rooms/body-room.ts';
import type { StandingHeaders } from '../../src/http/standing-headers.ts';
import type { IdempotencyStore } from './idempotency.ts';

/** The part of a pino logger that REST uses. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Tracks whether the database responds, and the requests to notify when it stops. */
export interface Availability {
  /** Throws UNAVAILABLE while the database does not respond, or, with `writes`, does not accept writes. */
  check(writes: boolean): void;
  join(waiter: Waiter): void;
  leave(waiter: Waiter): void;
}

/** A request waiting for the database. */
export interface Waiter {
  /** When it started, by performance.now(). */
  readonly started: number;
  /** Whether it waits for writes. */
  readonly writes: boolean;
  giveUp(reason: ServiceError): void;
}

/** The options of the REST layer. */
export interface RestOptions {
  readonly log: Log;
  /** The maximum size of a JSON body, in bytes. */
  readonly maxBodyBytes: number;
  /** Where large bodies wait for room; if absent, they do not wait. */
  readonly bodyRoom?: BodyRoom;
  /** The same for large responses. */
  readonly answerRoom?: AnswerRoom;
  /** The maximum size of a file, in bytes; default 1 GiB. */
  readonly maxFileBytes?: number;
  /** How long a body or an upload may stall, in milliseconds; by default 30 s and 60 s. */
  readonly stalls?: { readonly bodyMs: number; readonly uploadMs: number };
  /** The time limit of each MongoDB read of a list, in milliseconds; absent or 0 for none. */
  readonly listReadMs?: number;
  /** If absent, Idempotency-Key is ignored. */
  readonly idempotency?: IdempotencyStore;
  /** If absent, requests wait indefinitely for an unresponsive database. */
  readonly availability?: Availability;
  /** The path of BASE_URL, prepended to every path in a Location or Link; default none. */
  readonly basePath?: string;
  /** Whether the client uses https; cookies are then marked Secure. */
  readonly isSecure?: (request: IncomingMessage) => boolean;
  /** The prefix of cookie names; with one, cookies are always Secure. */
  readonly cookiePrefix?: string;
  /** The address of the client, for the log. */
  readonly addressOf?: (request: IncomingMessage) => string | undefined;
  /** Headers of every response, unless the response sets them itself. */
  readonly standing?: StandingHeaders | undefined;
  /** Headers that report how a request was counted, as alternating names and values. */
  readonly countHeaders?: ((request: IncomingMessage) => readonly string[]) | undefined;
}
