import { headers } from '../openapi/headers.ts';
import { clearedCookie } from './cookie.ts';
import { type ReplyKind, sendingNode } from './reply-kind.ts';

/** Success without a body. */
export interface NothingReply {
  readonly kind: 'nothing';
  /** The cookie to clear. */
  readonly clears?: string;
}

/** Success without a body: 204. */
export const noContent: NothingReply = { kind: 'nothing' };

/** Success without a body, clearing a cookie: 204. */
export const noContentWithoutCookie = (name: string): NothingReply => ({ ...noContent, clears: name });

export const nothing: ReplyKind<NothingReply> = {
  compile: ({ clears }, context) =>
    sendingNode(context, (exchange) =>
      exchange.send(204, clears === undefined ? [] : clearedCookie(clears, context.cookieManner(exchange.request))),
    ),
  answers: ({ clears }) => ({
    204: {
      description: 'Done.',
      headers: { ...headers('X-Request-Id'), ...(clears !== undefined && headers('Set-Cookie')) },
    },
  }),
};
