import type { Fault } from '../../../src/errors.ts';
import { type Query, wholeNumber } from '../../../src/http/query-string.ts';
import type { Node } from '../../declare/view.ts';
import type { Exchange } from '../exchange.ts';

/** The query parameters that name a page of a search. */
export const PAGE = 'page';
export const PAGE_SIZE = 'resultsPerPage';

/** The size of a page that a client leaves out (interface, "Limits"). */
export const DEFAULT_PAGE_SIZE = 25;

/** The page that a search asks for: its size, and how many results stand before it. */
export function pageOf(query: Query, most: number, faults: Fault[]): { readonly size: number; readonly start: number } {
  const page = wholeNumber(query, PAGE, { least: 1 }, faults) ?? 1;
  const size = wholeNumber(query, PAGE_SIZE, { least: 1, most }, faults) ?? DEFAULT_PAGE_SIZE;
  return { size, start: (page - 1) * size };
}

/** Sends a page in the search result wrapper (interface, "Search result wrapper"). */
export function searchSender(write: (node: Node) => string, headers: readonly string[]) {
  return (exchange: Exchange, { totalCount, nodes }: Node): void => {
    const { limit, pageStart } = exchange;
    const results = (nodes as readonly Node[]).map(write).join(',');
    const page = `"firstResultPosition":${pageStart + 1},"resultsPerPage":${limit}`;
    exchange.send(200, headers, `{"totalResultsAvailable":${totalCount},${page},"results":[${results}]}`);
  };
}
