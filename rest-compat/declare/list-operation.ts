import {
  fromCounting,
  fromCursor,
  fromFilters,
  fromLimit,
  fromOffset,
  fromPaging,
  fromSort,
  type NamedFilter,
  type Sources,
} from './source.ts';

/** The variables that every list operation declares, as GraphQL text. */
export const pageVariables =
  '$first: Int, $after: String, $offset: Int, $filter: [FieldFilter!], $orderBy: [SortField!], $paging: Boolean = false, $counting: Boolean = false';

/** The arguments that pass these variables to the connection. */
export const pageArguments = 'first: $first, after: $after, offset: $offset, filter: $filter, orderBy: $orderBy';

/** The selection of a list: the nodes, whether there are more and, only if they are needed, the end cursor and the total. */
export const page = (fields: string): string =>
  `nodes { ${fields} } pageInfo { hasNextPage endCursor @include(if: $paging) } totalCount @include(if: $counting)`;

/** The sources of every list's variables; `named` are filters with a dedicated parameter. */
export const pageSources = (named?: Readonly<Record<string, NamedFilter>>): Sources => ({
  first: fromLimit,
  after: fromCursor,
  offset: fromOffset,
  filter: fromFilters(named),
  orderBy: fromSort,
  paging: fromPaging,
  counting: fromCounting,
});
