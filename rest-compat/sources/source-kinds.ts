import type { Source } from '../declare/source.ts';
import { body } from './kinds/body.ts';
import { constantKind } from './kinds/constant.ts';
import { counting, cursor, paging } from './kinds/continuation.ts';
import { file } from './kinds/file.ts';
import { filters } from './kinds/filters.ts';
import { formField } from './kinds/form-field.ts';
import { ifMatch } from './kinds/if-match.ts';
import { ifNoneMatch } from './kinds/if-none-match.ts';
import { jsonArray, textList } from './kinds/json-array.ts';
import { limit, wholeNumberKind } from './kinds/limit.ts';
import { offset } from './kinds/offset.ts';
import { path } from './kinds/path.ts';
import { query } from './kinds/query.ts';
import { pageSize, pageStart } from './kinds/search-page.ts';
import { sort } from './kinds/sort.ts';
import type { SourceKind } from './source-kind.ts';

type Kinds = { readonly [From in Source['from']]: SourceKind<Extract<Source, { readonly from: From }>> };

/** Every kind of source; the compiler rejects a missing one. */
const SOURCE_KINDS: Kinds = {
  path,
  query,
  body,
  file,
  form: formField,
  'if-match': ifMatch,
  'if-none-match': ifNoneMatch,
  sort,
  filters,
  limit,
  offset,
  cursor,
  paging,
  counting,
  'page-size': pageSize,
  'page-start': pageStart,
  'json-array': jsonArray,
  'text-list': textList,
  'whole-number': wholeNumberKind,
  constant: constantKind,
};

/** The implementation of a source's kind. */
export const kindOf = (source: Source): SourceKind<Source> => SOURCE_KINDS[source.from] as SourceKind<Source>;
