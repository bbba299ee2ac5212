import type { IncomingMessage } from 'node:http';
import type { ServiceError } from '../../src/errors.ts';
import type { IdempotencyStore } from './idempotency.ts';

/** The part of a pino logger that REST uses. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Whether the database answers, and who is to be told when it falls silent. */
export interface Availability {
  /** Throws UNAVAILABLE while it is silent. */
  check(): void;
  join(waiter: Waiter): void;
  leave(waiter: Waiter): void;
}

/** A request that waits for the database. */
export interface Waiter {
  giveUp(reason: ServiceError): void;
}

/** What the REST layer is told by the one who composes the service. */
export interface RestOptions {
  readonly log: Log;
  /** The largest JSON body, in bytes. */
  readonly maxBodyBytes: number;
  /** The largest file, in bytes; 1 GiB when it is left out. */
  readonly maxFileBytes?: number;
  /** Without it, Idempotency-Key is not looked at. */
  readonly idempotency?: IdempotencyStore;
  /** Without it, requests wait for a database that hangs as long as that does. */
  readonly availability?: Availability;
  /** Whether the client uses https: cookies are then kept from plain http. */
  readonly isSecure?: (request: IncomingMessage) => boolean;
}
