import type { Violation } from '../../../src/errors.ts';
import { MAX_INT, type Query, wholeNumber } from '../../../src/http/query-string.ts';
import { described, queryParameter, type SourceKind, WHOLE_NUMBER } from '../source-kind.ts';

/** The numbered page of a search: its size, or the number of results before it; `most` is the maximum size. */
export interface SearchPageSource<From extends 'page-size' | 'page-start'> {
  readonly from: From;
  readonly most: number;
}

/** `resultsPerPage` of a search: from 1 to `most`, default 25. */
export const fromPageSize = (most: number): SearchPageSource<'page-size'> => ({ from: 'page-size', most });

/** The number of results on the pages before `page`, which counts from 1. */
export const fromPageStart = (most: number): SearchPageSource<'page-start'> => ({ from: 'page-start', most });

const PAGE = 'page';
const PAGE_SIZE = 'resultsPerPage';

/** The default page size (interface, "Limits"). */
const DEFAULT_PAGE_SIZE = 25;

export const pageSize: SourceKind<SearchPageSource<'page-size'>> = {
  bind: ({ most }, { variable }) => ({
    query: ({ query }, binding) => {
      binding.limit = pageOf(query, most, binding.violations).size;
      binding.variables[variable] = binding.limit;
    },
  }),
  parameters({ most }) {
    const size = { type: 'integer', minimum: 1, maximum: most, default: DEFAULT_PAGE_SIZE };
    return [queryParameter(PAGE_SIZE, size, described('The page size.'))];
  },
  parameterNames: () => [PAGE_SIZE],
};

/** Its violations are reported by `pageSize`, which parses both parameters. */
export const pageStart: SourceKind<SearchPageSource<'page-start'>> = {
  bind: ({ most }, { variable }) => ({
    query: ({ query }, binding) => {
      binding.pageStart = pageOf(query, most, []).start;
      binding.variables[variable] = Math.min(binding.pageStart, MAX_INT);
    },
  }),
  parameters: () => [
    queryParameter(PAGE, { ...WHOLE_NUMBER, minimum: 1, default: 1 }, described('The page number; the first is 1.')),
  ],
  parameterNames: () => [PAGE],
};

function pageOf(
  query: Query,
  most: number,
  violations: Violation[],
): { readonly size: number; readonly start: number } {
  const page = wholeNumber(query, PAGE, { least: 1 }, violations) ?? 1;
  const size = wholeNumber(query, PAGE_SIZE, { least: 1, most }, violations) ?? DEFAULT_PAGE_SIZE;
  return { size, start: (page - 1) * size };
}
