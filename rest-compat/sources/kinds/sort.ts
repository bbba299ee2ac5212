import { type Query, sortFields } from '../../../src/http/query-string.ts';
import { described, queryParameter, type SourceKind, setVariable } from '../source-kind.ts';

/** The order of a list. */
export interface SortSource {
  readonly from: 'sort';
}

/** `sort=field:asc,other:desc` as a list of SortField. */
export const fromSort: SortSource = { from: 'sort' };

/** The interface writes the default as `null` (Family A, "default null"); no field has that name. */
const isAbsent = (query: Query): boolean => query.get('sort')?.join() === 'null';

export const sort: SourceKind<SortSource> = {
  bind: (_, { variable }) => ({
    query: ({ query }, binding) => {
      if (!isAbsent(query)) setVariable(binding, variable, sortFields(query, binding.violations));
    },
  }),
  parameters: () => [
    queryParameter(
      'sort',
      { type: 'string', default: 'created_at:desc,id:asc' },
      described('field:asc or field:desc, separated by commas.'),
    ),
  ],
  parameterNames: () => ['sort'],
  place: () => ({ parameter: 'sort' }),
};
