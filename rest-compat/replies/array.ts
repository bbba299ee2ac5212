import type { Node, View } from '../declare/view.ts';
import type { Exchange } from '../exchange.ts';
import { headers } from '../openapi/headers.ts';
import { viewSchema } from '../openapi/schemas.ts';
import { asksForTotal, PREFER } from '../sources/kinds/continuation.ts';
import { compileView } from './json-view.ts';
import { jsonHeaders, type ReplyKind, sendingNode, type Written } from './reply-kind.ts';

/** An array, sent in one piece. */
export interface ArrayReply extends Written {
  readonly kind: 'array';
  readonly status: 200 | 201;
}

/** An array of all entities that the operation returns: 200. */
export const array = (view: View, body?: string): ArrayReply => ({ kind: 'array', status: 200, view, body });

/** An array of the entities that were created: 201. */
export const createdArray = (view: View, body?: string): ArrayReply => ({ kind: 'array', status: 201, view, body });

/** Adds the total if the client asked for it. */
const counted = ({ headers: given }: Exchange, sent: readonly string[], { length }: readonly Node[]) =>
  asksForTotal(given.prefer) ? [...sent, 'X-Total-Count', String(length), 'Preference-Applied', 'count=exact'] : sent;

export const arrayKind: ReplyKind<ArrayReply> = {
  compile({ view, status }, context) {
    const write = compileView(view, context.typeOf());
    const sent = jsonHeaders(context.method);
    return sendingNode(context, (exchange, nodes: unknown) =>
      exchange.send(
        status,
        status === 200 ? counted(exchange, sent, nodes as readonly Node[]) : sent,
        `[${(nodes as readonly Node[]).map(write).join(',')}]`,
      ),
    );
  },
  requestHeaders: ({ method }) => (method === 'GET' ? [PREFER] : []),
  answers: ({ view, body, status }, { typeOf }) => ({
    [status]: {
      description: status === 201 ? 'Created.' : 'Success.',
      headers: headers('X-Request-Id', ...(status === 200 ? (['X-Total-Count', 'Preference-Applied'] as const) : [])),
      content: { 'application/json': { schema: { type: 'array', items: viewSchema(view, typeOf(), body) } } },
    },
  }),
};
