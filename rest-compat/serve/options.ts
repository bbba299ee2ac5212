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

/** Whether the database responds, with the requests to notify when it stops responding. */
export interface Availability {
  /** Throws UNAVAILABLE while it does not respond, or does not write if that is waited for. */
  check(writes: boolean): void;
  join(waiter: Waiter): void;
  leave(waiter: Waiter): void;
}

/** A request that waits for the database. */
export interface Waiter {
  /** Since when, by performance.now(). */
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
  /** Where large bodies wait until there is room; absent: nowhere. */
  readonly bodyRoom?: BodyRoom;
  /** The same for large answers. */
  readonly answerRoom?: AnswerRoom;
  /** The maximum size of a file, in bytes; default 1 GiB. */
  readonly maxFileBytes?: number;
  /** How long nothing of a body, or of an upload, may arrive, in milliseconds; by default half a minute, and a whole one. */
  readonly stalls?: { readonly bodyMs: number; readonly uploadMs: number };
  /** How long MongoDB may work on each read of a list, in milliseconds; absent or 0: without a limit. */
  readonly listReadMs?: number;
  /** If absent, Idempotency-Key is ignored. */
  readonly idempotency?: IdempotencyStore;
  /** If absent, requests wait for an unresponsive database without a limit. */
  readonly availability?: Availability;
  /** The path of BASE_URL, put in front of every path in a Location or Link; default none. */
  readonly basePath?: string;
  /** Whether the client uses https; cookies are then marked Secure. */
  readonly isSecure?: (request: IncomingMessage) => boolean;
  /** The prefix that the names of cookies get; with one, they are always Secure. */
  readonly cookiePrefix?: string;
  /** The address of the client, for the log. */
  readonly addressOf?: (request: IncomingMessage) => string | undefined;
  /** Headers of every answer, unless it says otherwise itself. */
  readonly standing?: StandingHeaders | undefined;
  /** Headers that tell what a request was counted as, names and values in turn. */
  readonly countHeaders?: ((request: IncomingMessage) => readonly string[]) | undefined;
}
