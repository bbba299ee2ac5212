import type { ExecutionResult } from 'graphql';
import { CLIENT_GONE } from '../../../src/http/access-log.ts';
import { MAX_INT } from '../../../src/http/query-string.ts';
import { STREAMED_PAGE } from '../../../src/model/streamed-page.ts';
import type { Node, View } from '../../declare/view.ts';
import type { Exchange } from '../../exchange.ts';
import type { Variables } from '../../sources/source-kind.ts';
import { compileView } from '../json-view.ts';
import { jsonHeaders, type ReplyContext, type ReplyKind, type Written } from '../reply-kind.ts';
import { openTap, piecesOf, type StreamParts } from '../streaming/streamed-array.ts';
import { type ListPosition, listAnswers, listHeaders, type NextPage } from './list-headers.ts';

/** The most items of one GraphQL page; longer lists are streamed. */
const MAX_PAGE = 1000;

/** An array of entities, read page by page. */
export interface ListReply extends Written {
  readonly kind: 'list';
}

/** An array of entities, streamed if it is long: 200. */
export const list = (view: View, body?: string): ListReply => ({ kind: 'list', view, body });

export const listKind: ReplyKind<ListReply> = {
  compile({ view }, context) {
    const { run, readAtOneTime, read, recheck, variableFrom } = context;
    const listing: Listing = {
      first: variableFrom('limit'),
      after: variableFrom('cursor'),
      offset: variableFrom('offset'),
      paging: variableFrom('paging'),
      counting: variableFrom('counting'),
      headers: jsonHeaders(context.method),
      basePath: context.basePath,
      run,
      readAtOneTime,
      recheck,
      read: read as unknown as Listing['read'],
      write: compileView(view, context.typeOf('nodes')),
    };
    return (exchange) => sendList(exchange, listing);
  },
  answers: listAnswers,
};

/** What sending a list needs from its endpoint. */
interface Listing extends Pick<ReplyContext, 'run' | 'readAtOneTime'>, StreamParts {
  /** The names of the operation's paging variables. */
  readonly first: string;
  readonly after: string;
  readonly offset: string;
  readonly paging: string;
  readonly counting: string;
  readonly basePath: string;
  /** The connection of a result; throws the error of the result, if any. */
  read(...result: Parameters<ReplyContext['read']>): Connection;
  write(node: Node): string;
}

interface Connection {
  readonly nodes: readonly Node[];
  readonly pageInfo?: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly totalCount?: number;
}

/** Answers with an array: in one piece if it fits on a page, otherwise streamed page by page. */
function sendList(exchange: Exchange, listing: Listing): void | Promise<void> {
  const { limit, variables } = exchange.binding;
  if (limit === undefined || limit > MAX_PAGE) return sendLong(exchange, listing);
  variables[listing.first] = limit;
  variables[listing.paging] = true;
  const send = (result: ExecutionResult): void | Promise<void> => {
    const page = listing.read(exchange, result);
    const isCut = page.nodes.length < limit && page.pageInfo?.hasNextPage === true;
    if (isCut) {
      listing.readAtOneTime(exchange);
      return sendBegun(exchange, listing, page);
    }
    const next = pageAfter(exchange, listing, page);
    return sendPage(exchange, placed(exchange, listing, { total: page.totalCount, next }), page);
  };
  const result = listing.run(exchange, variables);
  return result instanceof Promise ? result.then(send) : send(result);
}

/** Sends a list of more than one page; for HEAD, reads its first item, so that errors are reported. */
async function sendLong(exchange: Exchange, listing: Listing): Promise<void> {
  const { limit = Number.POSITIVE_INFINITY, variables } = exchange.binding;
  if (limit <= MAX_INT) listing.readAtOneTime(exchange);
  const size = exchange.request.method === 'HEAD' ? 1 : Math.min(limit, STREAMED_PAGE);
  const result = await listing.run(exchange, { ...variables, [listing.paging]: true, [listing.first]: size });
  return sendBegun(exchange, listing, listing.read(exchange, result));
}

/** Sends a list whose first items have been read. */
const sendBegun = (exchange: Exchange, listing: Listing, page: Connection): Promise<void> =>
  exchange.request.method === 'HEAD' ? sendHead(exchange, listing, page) : stream(exchange, listing, page);

function sendPage(exchange: Exchange, listing: Listing, { nodes }: Connection): void | Promise<void> {
  const pieces = piecesOf('[', nodes, listing.write);
  const [text = '', second] = [pieces.next().value, pieces.next().value];
  if (second === undefined) return exchange.send(200, listing.headers, `${text}]`);
  return sendPieces(exchange, listing, { begun: [text, second], pieces });
}

async function sendPieces(
  exchange: Exchange,
  listing: Listing,
  { begun, pieces }: { readonly begun: readonly string[]; readonly pieces: Iterable<string> },
): Promise<void> {
  const tap = openTap(exchange, listing);
  for (const piece of begun) if (!(await tap.pour(piece))) return exchange.end(CLIENT_GONE);
  for (const piece of pieces) if (!(await tap.pour(piece))) return exchange.end(CLIENT_GONE);
  exchange.response.end(']');
  exchange.end(200);
}

/** Sends the headers that `stream` would send. */
async function sendHead(exchange: Exchange, listing: Listing, page: Connection): Promise<void> {
  const next = await pageAfterLimit(exchange, listing, page);
  exchange.writeHead(200, placed(exchange, listing, { total: page.totalCount, next }).headers).end();
  exchange.end(200);
}

/** Adds the headers that tell the response's position in the whole list. */
const placed = (exchange: Exchange, listing: Listing, at: Pick<ListPosition, 'total' | 'next'>): Listing => ({
  ...listing,
  headers: listHeaders(exchange, { headers: listing.headers, basePath: listing.basePath, ...at }),
});

/** A cursor holds the values of the sort keys; from this many characters on, it is too long for a URL. */
const MAX_CURSOR = 2_000;

function pageAfter(exchange: Exchange, listing: Listing, { pageInfo }: Connection): NextPage | undefined {
  if (!pageInfo?.hasNextPage || typeof pageInfo.endCursor !== 'string') return undefined;
  if (pageInfo.endCursor.length <= MAX_CURSOR) return { cursor: pageInfo.endCursor };
  const offset = endOf(exchange, listing);
  return offset <= MAX_INT ? { offset } : undefined;
}

/** The position in the whole list after the last item of the response. */
const endOf = ({ binding }: Exchange, { offset }: Listing): number =>
  Number(binding.variables[offset] ?? 0) + (binding.limit ?? Number.POSITIVE_INFINITY);

/**
 * The page after the response, whose first items have been read. Headers go first, so the last item has to be looked up, at the
 * point in time at which all items are read.
 */
async function pageAfterLimit(exchange: Exchange, listing: Listing, page: Connection): Promise<NextPage | undefined> {
  const place = page.pageInfo?.hasNextPage ? lastPlace(exchange, listing, page) : undefined;
  if (!place) return undefined;
  const { first, paging, counting } = listing;
  const asked = { ...exchange.binding.variables, ...place, [first]: 1, [paging]: true, [counting]: false };
  return pageAfter(exchange, listing, listing.read(exchange, await listing.run(exchange, asked)));
}

/**
 * The variables that read the last item of the response; undefined if there cannot be one. It is counted from the items already
 * read, wherever they are by now, unless that is far: an index knows positions only from the beginning of the list.
 */
function lastPlace(exchange: Exchange, listing: Listing, { nodes, pageInfo }: Connection): Variables | undefined {
  const { limit = Number.POSITIVE_INFINITY } = exchange.binding;
  if (limit <= MAX_PAGE) return { [listing.after]: pageInfo?.endCursor, [listing.offset]: limit - nodes.length - 1 };
  const offset = endOf(exchange, listing) - 1;
  return offset <= MAX_INT ? { [listing.offset]: offset } : undefined;
}

/** Sends page by page; `page` is the one being sent, so that no earlier one is retained. */
async function stream(exchange: Exchange, listing: Listing, page: Connection): Promise<void> {
  const { variables, limit = Number.POSITIVE_INFINITY } = exchange.binding;
  const { first, after, offset, paging, counting } = listing;
  let left = limit - page.nodes.length;
  const { totalCount: total } = page;
  if (left <= 0 || !page.pageInfo?.hasNextPage)
    return sendPage(exchange, placed(exchange, listing, { total, next: pageAfter(exchange, listing, page) }), page);
  const next = await pageAfterLimit(exchange, listing, page);
  const tap = openTap(exchange, placed(exchange, listing, { total, next }));
  let start = '[';
  const { [offset]: _offset, [counting]: _counting, ...following } = variables;
  while (left > 0 && page.pageInfo?.hasNextPage) {
    for (const piece of piecesOf(start, page.nodes, listing.write))
      if (!(await tap.pour(piece))) return exchange.end(CLIENT_GONE);
    start = ',';
    const asked = {
      ...following,
      [paging]: true,
      [first]: Math.min(left, STREAMED_PAGE),
      [after]: page.pageInfo.endCursor,
    };
    page = listing.read(exchange, await listing.run(exchange, asked));
    if (page.nodes.length === 0) break;
    left -= page.nodes.length;
  }
  let last = '';
  for (const piece of page.nodes.length === 0 ? [] : piecesOf(start, page.nodes, listing.write)) {
    if (last !== '' && !(await tap.pour(last))) return exchange.end(CLIENT_GONE);
    last = piece;
  }
  if (!(await tap.pour(`${last}]`))) return exchange.end(CLIENT_GONE);
  exchange.response.end();
  exchange.end(200);
}
