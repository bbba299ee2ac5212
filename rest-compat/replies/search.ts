import type { Node, View } from '../declare/view.ts';
import { headers } from '../openapi/headers.ts';
import { searchSchema, viewSchema } from '../openapi/schemas.ts';
import { compileView } from './json-view.ts';
import { jsonHeaders, type ReplyKind, sendingNode, type Written } from './reply-kind.ts';

/** One numbered page of a list with the total count, in the search result wrapper (interface, "Search result wrapper"). */
export interface SearchReply extends Written {
  readonly kind: 'search';
}

/** One page of a list in the search result wrapper; the operation selects `totalCount` and `nodes`: 200. */
export const search = (view: View, body?: string): SearchReply => ({ kind: 'search', view, body });

export const searchKind: ReplyKind<SearchReply> = {
  compile({ view }, context) {
    const write = compileView(view, context.typeOf('nodes'));
    const sent = jsonHeaders(context.method);
    return sendingNode(context, (exchange, { totalCount, nodes }) => {
      const { limit, pageStart } = exchange.binding;
      const results = (nodes as readonly Node[]).map(write).join(',');
      const page = `"firstResultPosition":${pageStart + 1},"resultsPerPage":${limit}`;
      exchange.send(200, sent, `{"totalResultsAvailable":${totalCount},${page},"results":[${results}]}`);
    });
  },
  answers: ({ view, body }, { typeOf }) => ({
    200: {
      description: 'Success.',
      headers: headers('X-Request-Id'),
      content: { 'application/json': { schema: searchSchema(viewSchema(view, typeOf('nodes'), body)) } },
    },
  }),
};
