import { headers } from '../openapi/headers.ts';
import { clearedCookie } from './cookie.ts';
import { type ReplyKind, sendingNode } from './reply-kind.ts';

/** Success without a body. */
export interface NothingReply {
  readonly kind: 'nothing';
  /** The cookie to clear. */
  readonly clears: string;
}

/** Success without a body, clearing a cookie: 204. */
export const noContentWithoutCookie = (name: string): NothingReply => ({ kind: 'nothing', clears: name });

export const nothingKind: ReplyKind<NothingReply> = {
  compile: ({ clears }, context) =>
    sendingNode(context, (exchange) =>
      exchange.send(204, clearedCookie(clears, context.cookieManner(exchange.request))),
    ),
  answers: () => ({
    204: {
      description: 'Done.',
      headers: headers('X-Request-Id', 'Set-Cookie'),
    },
  }),
};
