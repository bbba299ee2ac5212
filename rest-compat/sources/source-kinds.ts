import type { Source } from '../declare/source.ts';
import { body } from './body.ts';
import { constantKind } from './constant.ts';
import { continuation } from './continuation.ts';
import { file } from './file.ts';
import { filters } from './filters.ts';
import { formField } from './form-field.ts';
import { ifMatch } from './if-match.ts';
import { jsonArray } from './json-array.ts';
import { limit } from './limit.ts';
import { offset } from './offset.ts';
import { path } from './path.ts';
import { query } from './query.ts';
import { pageSize, pageStart } from './search-page.ts';
import { sort } from './sort.ts';
import type { SourceKind } from './source-kind.ts';

type Kinds = { readonly [From in Source['from']]: SourceKind<Extract<Source, { readonly from: From }>> };

/** Every kind of source; one that is missing here does not compile. */
const SOURCE_KINDS: Kinds = {
  path,
  query,
  body,
  file,
  form: formField,
  'if-match': ifMatch,
  sort,
  filters,
  limit,
  offset,
  cursor: continuation,
  paging: continuation,
  'page-size': pageSize,
  'page-start': pageStart,
  'json-array': jsonArray,
  constant: constantKind,
};

/** What the REST layer does with this source. */
export const kindOf = (source: Source): SourceKind<Source> => SOURCE_KINDS[source.from] as SourceKind<Source>;
