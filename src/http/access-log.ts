import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { hasErrorCode, shortened } from '../errors.ts';
import { traceOf } from './request-id.ts';

/** The nginx status for a client that disconnected before its answer; logged, never sent. */
export const CLIENT_GONE = 499;

/** The part of a logger that the access log needs. */
export interface AccessLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What is logged about a REST or GraphQL request; unknown fields are left out of its line. */
export interface LoggedRequest {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly path: string;
  /** By performance.now(). */
  readonly started: number;
  /** The client's; read at the start, since a closed connection has none. */
  readonly address: string | undefined;
  /** The id of the REST endpoint. */
  readonly endpoint?: string | undefined;
  /** The name of the GraphQL operation. */
  readonly operation?: string | undefined;
  readonly viewer?: { readonly id: string; readonly tenant: string } | undefined;
  /** Set if it waits for events: a subscription, or a followed change feed. */
  readonly isStream?: boolean;
  /** Set if an earlier answer is replayed for its Idempotency-Key. */
  readonly replayed?: boolean;
  /** The error behind a status of 500 or more. */
  readonly cause?: unknown;
}

/** An answered request, as published on a diagnostics channel. */
export interface AnsweredRequest {
  readonly logged: LoggedRequest;
  readonly status: number;
  readonly seconds: number;
}

/** Where `AnsweredRequest`s are published. */
export const REQUESTS = channel('inspection-exchange:request');

/** Writes a request's single log line: at error level, with the cause, if the fault is ours. */
export function logAccess(log: AccessLog, logged: LoggedRequest, status: number): void {
  const { request, requestId, path, started, address, endpoint, operation, viewer } = logged;
  const ms = performance.now() - started;
  if (REQUESTS.hasSubscribers) REQUESTS.publish({ logged, status, seconds: ms / 1_000 } satisfies AnsweredRequest);
  const fields = {
    requestId,
    method: request.method,
    path: shortened(path, MAX_PATH),
    status,
    ms: Math.round(ms * 100) / 100,
    endpoint,
    operation: operation && shortened(operation, MAX_NAME),
    tenant: viewer?.tenant,
    principal: viewer?.id,
    address,
    trace: traceOf(request),
    replayed: logged.replayed,
  };
  if (status < 500) log.info(fields, 'request');
  else log.error({ ...fields, ...causeOf(logged.cause) }, 'request');
}

/** How much of a path is logged, in characters. */
const MAX_PATH = 500;
/** How much of an operation name is logged, in characters. */
export const MAX_NAME = 100;

function causeOf(error: unknown): object {
  if (error === undefined) return {};
  const err = (error instanceof Error && (error as { originalError?: unknown }).originalError) || error;
  const isToldInFull = !(err instanceof Error) || err.cause === undefined || hasErrorCode(err, 'UNAVAILABLE');
  return isToldInFull ? { err } : { err, cause: err.cause };
}
