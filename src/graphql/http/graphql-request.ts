import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request on its way through GraphQL. */
export interface GraphqlRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
}
