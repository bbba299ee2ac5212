import {
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
  '$first: Int, $after: String, $offset: Int, $filter: [FieldFilter!], $orderBy: [SortField!], $paging: Boolean = false';

/** The arguments that hand those variables to the connection. */
export const pageArguments = 'first: $first, after: $after, offset: $offset, filter: $filter, orderBy: $orderBy';

/** What a list selects: the nodes, and only where it goes on by pages, the place where the next begins. */
export const page = (fields: string): string =>
  `nodes { ${fields} } pageInfo @include(if: $paging) { hasNextPage endCursor }`;

/** Where the variables of every list come from; `named` are filters with a parameter of their own. */
export const pageSources = (named?: Readonly<Record<string, NamedFilter>>): Sources => ({
  first: fromLimit,
  after: fromCursor,
  offset: fromOffset,
  filter: fromFilters(named),
  orderBy: fromSort,
  paging: fromPaging,
});
