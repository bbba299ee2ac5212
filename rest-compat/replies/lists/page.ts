import type { Node, View } from '../../declare/view.ts';
import { compileView } from '../json-view.ts';
import { jsonHeaders, type ReplyKind, sendingNode, type Written } from '../reply-kind.ts';
import { listAnswers, listHeaders } from './list-headers.ts';

/** A page of a list; the parameter `after` names its last item to get the next page. */
export interface PageReply extends Written {
  readonly kind: 'page';
}

/** One page; the operation selects `nodes`, `pageInfo` and, if the client asks for it, `totalCount`: 200. */
export const pageOf = (view: View, body?: string): PageReply => ({ kind: 'page', view, body });

export const pageKind: ReplyKind<PageReply> = {
  compile({ view }, context) {
    const write = compileView(view, context.typeOf('nodes'));
    const { basePath } = context;
    const sent = jsonHeaders(context.method);
    return sendingNode(context, (exchange, node) => {
      const { nodes, pageInfo, totalCount: total } = node as unknown as Connection;
      const next = pageInfo.hasNextPage ? { after: pageInfo.endCursor } : undefined;
      exchange.send(
        200,
        listHeaders(exchange, { headers: sent, basePath, total, next }),
        `[${nodes.map(write).join(',')}]`,
      );
    });
  },
  answers: listAnswers,
};

interface Connection {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  readonly totalCount?: number;
}
