import type { BodySource } from '../sources/kinds/body.ts';
import type { ConstantSource } from '../sources/kinds/constant.ts';
import type { ContinuationSource } from '../sources/kinds/continuation.ts';
import type { FileSource } from '../sources/kinds/file.ts';
import type { FiltersSource } from '../sources/kinds/filters.ts';
import type { FormFieldSource } from '../sources/kinds/form-field.ts';
import type { IfMatchSource } from '../sources/kinds/if-match.ts';
import type { IfNoneMatchSource } from '../sources/kinds/if-none-match.ts';
import type { JsonArraySource, TextListSource } from '../sources/kinds/json-array.ts';
import type { LimitSource, WholeNumberSource } from '../sources/kinds/limit.ts';
import type { OffsetSource } from '../sources/kinds/offset.ts';
import type { PathSource } from '../sources/kinds/path.ts';
import type { QuerySource } from '../sources/kinds/query.ts';
import type { SearchPageSource } from '../sources/kinds/search-page.ts';
import type { SortSource } from '../sources/kinds/sort.ts';

export {
  fromBody,
  fromBodyOfOnly,
  fromBodyOrForm,
  fromBodyOrMember,
  fromPreviousVersion,
} from '../sources/kinds/body.ts';
export { constant } from '../sources/kinds/constant.ts';
export { fromCounting, fromCursor, fromPaging } from '../sources/kinds/continuation.ts';
export { fromFile } from '../sources/kinds/file.ts';
export { fromFilters, type NamedFilter } from '../sources/kinds/filters.ts';
export { fromForm } from '../sources/kinds/form-field.ts';
export { fromIfMatch, fromIfMatchOfUpsert } from '../sources/kinds/if-match.ts';
export { fromIfNoneMatch } from '../sources/kinds/if-none-match.ts';
export { fromCommaList, fromJsonArray, fromQueryAsFilters } from '../sources/kinds/json-array.ts';
export { fromLimit, fromWholeNumber } from '../sources/kinds/limit.ts';
export { fromOffset } from '../sources/kinds/offset.ts';
export { fromPath, fromPathOfA, fromPathOneOf } from '../sources/kinds/path.ts';
export { fromQuery, fromQueryAsFilter } from '../sources/kinds/query.ts';
export { fromPageSize, fromPageStart } from '../sources/kinds/search-page.ts';
export { fromSort } from '../sources/kinds/sort.ts';

/** The source of one GraphQL variable: exactly one part of the request, described as data. */
export type Source =
  | PathSource
  | QuerySource
  | BodySource
  | FileSource
  | FormFieldSource
  | IfMatchSource
  | IfNoneMatchSource
  | SortSource
  | FiltersSource
  | LimitSource
  | OffsetSource
  | ContinuationSource<'cursor'>
  | ContinuationSource<'paging'>
  | ContinuationSource<'counting'>
  | SearchPageSource<'page-size'>
  | SearchPageSource<'page-start'>
  | JsonArraySource
  | TextListSource
  | WholeNumberSource
  | ConstantSource;

/** The variables of an operation, each with its source. */
export type Sources = Readonly<Record<string, Source>>;
