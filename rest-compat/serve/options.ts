import type { IncomingMessage } from 'node:http';
import type { IdempotencyStore } from './idempotency.ts';

/** The part of a pino logger that REST uses. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
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
  /** Whether the client uses https: cookies are then kept from plain http. */
  readonly isSecure?: (request: IncomingMessage) => boolean;
}
