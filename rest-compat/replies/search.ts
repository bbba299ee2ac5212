import { CLIENT_GONE } from '../../src/http/access-log.ts';
import type { Node, View } from '../declare/view.ts';
import type { Exchange } from '../exchange.ts';
import { headers } from '../openapi/headers.ts';
import { searchSchema, viewSchema } from '../openapi/schemas.ts';
import { compileView } from './json-view.ts';
import { jsonHeaders, type ReplyContext, type ReplyKind, sendingNode, type Written } from './reply-kind.ts';
import { openTap, piecesOf, type StreamParts } from './streaming/streamed-array.ts';

/** One numbered page of a list with the total count, in the search result wrapper (interface, "Search result wrapper"). */
export interface SearchReply extends Written {
  readonly kind: 'search';
}

/** One page of a list in the search result wrapper; the operation selects `totalCount` and `nodes`: 200. */
export const search = (view: View, body?: string): SearchReply => ({ kind: 'search', view, body });

export const searchKind: ReplyKind<SearchReply> = {
  compile({ view }, context) {
    const write = compileView(view, context.typeOf('nodes'));
    const headers = jsonHeaders(context.method);
    const { recheck } = context;
    const restOf = furtherNodes(context);
    return sendingNode(context, (exchange, { totalCount, nodes: found }) => {
      const nodes = found as readonly Node[];
      const { limit = 0, pageStart } = exchange.binding;
      const page = `"firstResultPosition":${pageStart + 1},"resultsPerPage":${limit}`;
      const start = `{"totalResultsAvailable":${totalCount},${page},"results":[`;
      const isCut = nodes.length > 0 && nodes.length < Math.min(limit, Number(totalCount) - pageStart);
      if (!isCut) return exchange.send(200, headers, `${start}${nodes.map(write).join(',')}]}`);
      return sendPages(exchange, { headers, recheck, start, write, pages: restOf(exchange, nodes) });
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

/** The nodes already read and those that follow, read in as many pages as needed. */
function furtherNodes({ run, read, variableFrom }: ReplyContext) {
  const [first, offset] = [variableFrom('page-size'), variableFrom('page-start')];
  return async function* (exchange: Exchange, found: readonly Node[]): AsyncGenerator<readonly Node[]> {
    const { limit = 0, pageStart, variables } = exchange.binding;
    let count = 0;
    for (let nodes = found; nodes.length > 0; ) {
      yield nodes;
      count += nodes.length;
      if (count >= limit) return;
      const next = { ...variables, [first]: limit - count, [offset]: pageStart + count };
      nodes = read(exchange, await run(exchange, next)).nodes as readonly Node[];
    }
  };
}

interface Pages extends StreamParts {
  readonly start: string;
  readonly write: (node: Node) => string;
  readonly pages: AsyncIterable<readonly Node[]>;
}

async function sendPages(exchange: Exchange, { start, write, pages, ...parts }: Pages): Promise<void> {
  const tap = openTap(exchange, parts);
  let before = start;
  for await (const nodes of pages) {
    for (const piece of piecesOf(before, nodes, write)) if (!(await tap.pour(piece))) return exchange.end(CLIENT_GONE);
    before = ',';
  }
  exchange.response.end(']}');
  exchange.end(200);
}
