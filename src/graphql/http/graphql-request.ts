import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { Viewer } from '../../auth/viewer.ts';
import { type AccessLog, CLIENT_GONE, type LoggedRequest, logAccess } from '../../http/access-log.ts';
import type { RateLimitHeaders } from '../../http/rate-limit-headers.ts';
import { requestIdOf } from '../../http/request-id.ts';
import { type StandingHeaders, standingBeside } from '../../http/standing-headers.ts';

/** A GraphQL request in progress. */
export interface GraphqlRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly logged: LoggedOperation;
  /** The headers of an answer including its own, as alternating names and values; without those already set on the response. */
  headersWith(own: readonly string[]): string[];
  /** The size of its body, once read. */
  bodyBytes?: number;
  /** Returns the value of its JSON body or form, or throws its error; set if the endpoint hands on a body it has read. */
  json?: (() => unknown) | undefined;
  /** The errors of a subscription that did not open, which Yoga formats for the client. */
  refused?: ExecutionResult;
}

/** The request's access log entry, filled in as details become known. */
interface LoggedOperation extends LoggedRequest {
  operation: string | undefined;
  /** The names of the operation's fields. */
  fields: string | undefined;
  viewer: Viewer | undefined;
  cause: unknown;
  isStream: boolean;
}

/** What opening a request needs. */
interface OpenParts {
  readonly log: AccessLog;
  readonly addressOf: (request: IncomingMessage) => string | undefined;
  readonly standing: StandingHeaders;
  /** Undefined if they are set on the response as soon as known, or there is no limit. */
  readonly limitHeaders?: RateLimitHeaders | undefined;
}

/** Opens a GraphQL request, with its id and its log line. */
export function openGraphql(req: IncomingMessage, res: ServerResponse, parts: OpenParts): GraphqlRequest {
  const { log, addressOf, standing, limitHeaders } = parts;
  const requestId = requestIdOf(req);
  const logged: LoggedOperation = {
    request: req,
    requestId,
    path: '/graphql',
    started: performance.now(),
    address: addressOf(req),
    operation: undefined,
    fields: undefined,
    viewer: undefined,
    cause: undefined,
    isStream: false,
  };
  res.once('close', () => logAccess(log, logged, res.writableFinished ? res.statusCode : CLIENT_GONE));
  const headersWith = (own: readonly string[]): string[] => [
    ...standingBeside(own, standing),
    ...['X-Request-Id', requestId, ...(limitHeaders?.of(req) ?? []), ...own],
  ];
  return { req, res, requestId, logged, headersWith };
}
