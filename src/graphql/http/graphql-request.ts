import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { Viewer } from '../../auth/viewer.ts';
import { type AccessLog, CLIENT_GONE, type LoggedRequest, logAccess } from '../../http/access-log.ts';
import type { RateLimitHeaders } from '../../http/rate-limit-headers.ts';
import { requestIdOf } from '../../http/request-id.ts';
import { type StandingHeaders, standingBeside } from '../../http/standing-headers.ts';

/** A request on its way through GraphQL. */
export interface GraphqlRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly logged: LoggedOperation;
  /** The headers of an answer with those of its own, as names and values in turn; without what is set on the response already. */
  headersWith(own: readonly string[]): string[];
  /** The size of its body, once that has been read. */
  bodyBytes?: number;
  /** Gives the value of its JSON body or form, or throws what is wrong with it; where the endpoint hands on what it has read. */
  json?: (() => unknown) | undefined;
  /** The errors of a subscription that did not open, which Yoga words for the client. */
  refused?: ExecutionResult;
}

/** What the access log will tell of the request, filled in as it becomes known. */
export interface LoggedOperation extends LoggedRequest {
  operation: string | undefined;
  /** The names of the operation's fields. */
  fields: string | undefined;
  viewer: Viewer | undefined;
  cause: unknown;
  isStream: boolean;
}

/** What a request is opened with. */
export interface OpenParts {
  readonly log: AccessLog;
  readonly addressOf: (request: IncomingMessage) => string | undefined;
  readonly standing: StandingHeaders;
  /** Undefined where they are set on the response as soon as they are known, or nothing is limited. */
  readonly limitHeaders?: RateLimitHeaders | undefined;
}

/** One GraphQL request, with its id and its line in the log. */
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
