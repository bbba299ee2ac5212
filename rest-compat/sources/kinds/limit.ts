import { wholeNumber } from '../../../src/http/query-string.ts';
import { described, queryParameter, type SourceKind, WHOLE_NUMBER } from '../source-kind.ts';

/** The number of items of a list. */
export interface LimitSource {
  readonly from: 'limit';
}

/** The maximum number of items, which is the page size of the operation. */
export const fromLimit: LimitSource = { from: 'limit' };

/** The variable itself is set by the reply, page by page. */
export const limit: SourceKind<LimitSource> = {
  bind: (_, { family }) => ({
    query: ({ query }, binding) => {
      const isAbsent = ['', 'null'].includes(query.get('limit')?.join() ?? '');
      const given = isAbsent ? undefined : wholeNumber(query, 'limit', { least: 1 }, binding.faults);
      binding.limit = given ?? family.defaultLimit;
    },
  }),
  parameters(_, { family: { defaultLimit } }) {
    const schema = {
      ...WHOLE_NUMBER,
      type: ['integer', 'null'],
      minimum: 1,
      ...(defaultLimit !== undefined && { default: defaultLimit }),
    };
    const otherwise = defaultLimit === undefined ? '; all, unless it is given' : '';
    return [queryParameter('limit', schema, described(`How many items to return${otherwise}.`))];
  },
  parameterNames: () => ['limit'],
  place: () => ({ parameter: 'limit' }),
};
