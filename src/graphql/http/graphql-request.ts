import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { Viewer } from '../../auth/viewer.ts';
import type { LoggedRequest } from '../../http/access-log.ts';

/** A request on its way through GraphQL. */
export interface GraphqlRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly logged: LoggedOperation;
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
