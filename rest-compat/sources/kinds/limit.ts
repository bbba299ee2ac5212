import { wholeNumber } from '../../../src/http/query-string.ts';
import { described, queryParameter, type SourceKind, setVariable, WHOLE_NUMBER } from '../source-kind.ts';

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
      const given = isAbsent ? undefined : wholeNumber(query, 'limit', { least: 1 }, binding.violations);
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

/** A whole number in the query string. */
export interface WholeNumberSource {
  readonly from: 'whole-number';
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** The default of the operation's variable, for OpenAPI. */
  readonly otherwise: number;
  readonly description: string;
}

/** A whole number in the query string; empty and `null` count as absent. */
export const fromWholeNumber = (name: string, parts: Omit<WholeNumberSource, 'from' | 'name'>): WholeNumberSource => ({
  from: 'whole-number',
  name,
  ...parts,
});

export const wholeNumberKind: SourceKind<WholeNumberSource> = {
  bind: ({ name, least, most }, { variable }) => ({
    query: ({ query }, binding) =>
      setVariable(binding, variable, wholeNumber(query, name, { least, most }, binding.violations)),
  }),
  parameters: ({ name, least, most, otherwise, description }) => [
    queryParameter(name, { ...WHOLE_NUMBER, minimum: least, maximum: most, default: otherwise }, { description }),
  ],
  parameterNames: ({ name }) => [name],
  place: ({ name }) => ({ parameter: name }),
};
