import type { BodySource } from '../sources/body.ts';
import type { ConstantSource } from '../sources/constant.ts';
import type { ContinuationSource } from '../sources/continuation.ts';
import type { FileSource } from '../sources/file.ts';
import type { FiltersSource } from '../sources/filters.ts';
import type { FormFieldSource } from '../sources/form-field.ts';
import type { IfMatchSource } from '../sources/if-match.ts';
import type { JsonArraySource } from '../sources/json-array.ts';
import type { LimitSource } from '../sources/limit.ts';
import type { OffsetSource } from '../sources/offset.ts';
import type { PathSource } from '../sources/path.ts';
import type { QuerySource } from '../sources/query.ts';
import type { SearchPageSource } from '../sources/search-page.ts';
import type { SortSource } from '../sources/sort.ts';

export { fromBody, fromBodyOrForm, fromBodyOrMember, fromPreviousVersion } from '../sources/body.ts';
export { constant } from '../sources/constant.ts';
export { fromCursor, fromPaging } from '../sources/continuation.ts';
export { fromFile } from '../sources/file.ts';
export { fromFilters, type NamedFilter } from '../sources/filters.ts';
export { fromForm } from '../sources/form-field.ts';
export { fromIfMatch } from '../sources/if-match.ts';
export { fromJsonArray } from '../sources/json-array.ts';
export { fromLimit } from '../sources/limit.ts';
export { fromOffset } from '../sources/offset.ts';
export { fromPath, fromPathOneOf } from '../sources/path.ts';
export { fromQuery } from '../sources/query.ts';
export { fromPageSize, fromPageStart } from '../sources/search-page.ts';
export { fromSort } from '../sources/sort.ts';

/** Where the value of one GraphQL variable comes from: one exact place of the request, described as data. */
export type Source =
  | PathSource
  | QuerySource
  | BodySource
  | FileSource
  | FormFieldSource
  | IfMatchSource
  | SortSource
  | FiltersSource
  | LimitSource
  | OffsetSource
  | ContinuationSource<'cursor'>
  | ContinuationSource<'paging'>
  | SearchPageSource<'page-size'>
  | SearchPageSource<'page-start'>
  | JsonArraySource
  | ConstantSource;

/** The variables of an operation, each with its source. */
export type Sources = Readonly<Record<string, Source>>;
