import { type Query, wholeNumber } from '../../../src/http/query-string.ts';
import { described, queryParameter, type SourceKind, setVariable, WHOLE_NUMBER } from '../source-kind.ts';

/** The number of items of a list. */
export interface LimitSource {
  readonly from: 'limit';
}

/** The maximum number of items, which is the page size of the operation. */
export const fromLimit: LimitSource = { from: 'limit' };

const LIMIT = 'limit';
const NUMBER_OR_NULL = ['integer', 'null'];

/** `limit=` and `limit=null` count as absent (contract §11). */
const isAbsent = (query: Query): boolean => ['', 'null'].includes(query.get(LIMIT)?.join() ?? '');

/** The variable itself is set by the reply, page by page. */
export const limit: SourceKind<LimitSource> = {
  bind: (_, { family }) => ({
    query: ({ query }, binding) => {
      const given = isAbsent(query) ? undefined : wholeNumber(query, LIMIT, { least: 1 }, binding.violations);
      binding.limit = given ?? family.defaultLimit;
    },
  }),
  parameters(_, { family: { defaultLimit } }) {
    const schema = {
      ...WHOLE_NUMBER,
      type: NUMBER_OR_NULL,
      minimum: 1,
      ...(defaultLimit !== undefined && { default: defaultLimit }),
    };
    const otherwise = defaultLimit === undefined ? '; all, unless it is given' : '';
    return [queryParameter(LIMIT, schema, described(`How many items to return${otherwise}.`))];
  },
  parameterNames: () => [LIMIT],
  place: () => ({ parameter: LIMIT }),
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

/** A whole number in the query string; it may be empty or `null` if it is the limit. */
export const fromWholeNumber = (name: string, parts: Omit<WholeNumberSource, 'from' | 'name'>): WholeNumberSource => ({
  from: 'whole-number',
  name,
  ...parts,
});

export const wholeNumberKind: SourceKind<WholeNumberSource> = {
  bind: ({ name, least, most }, { variable }) => ({
    query: ({ query }, binding) => {
      if (name === LIMIT && isAbsent(query)) return;
      setVariable(binding, variable, wholeNumber(query, name, { least, most }, binding.violations));
    },
  }),
  parameters({ name, least, most, otherwise, description }) {
    const type = name === LIMIT ? NUMBER_OR_NULL : WHOLE_NUMBER.type;
    return [queryParameter(name, { type, minimum: least, maximum: most, default: otherwise }, { description })];
  },
  parameterNames: ({ name }) => [name],
  place: ({ name }) => ({ parameter: name }),
};
