import { singleValue } from '../../../src/http/query-string.ts';
import type { Parameter } from '../../declare/openapi-parts.ts';
import { described, queryParameter, type SourceKind, setVariable } from '../source-kind.ts';

/** The state of a list: where its pages start, and what they must return. */
export interface ContinuationSource<From extends 'cursor' | 'paging' | 'counting'> {
  readonly from: From;
}

/** The cursor at which the next page starts. */
export const fromCursor: ContinuationSource<'cursor'> = { from: 'cursor' };

/** Whether further pages follow, so that the operation must return the end cursor. */
export const fromPaging: ContinuationSource<'paging'> = { from: 'paging' };

/** Where the first page starts, from the Link header of the page before; the reply sets it for each further page. */
export const cursor: SourceKind<ContinuationSource<'cursor'>> = {
  bind: (_, { variable }) => ({
    query({ query }, binding) {
      const value = singleValue(query, 'cursor', binding.violations);
      if (value === '') binding.violations.push({ parameter: 'cursor', message: 'must not be empty.' });
      else setVariable(binding, variable, value);
    },
  }),
  parameters: () => [
    queryParameter(
      'cursor',
      { type: 'string', minLength: 1 },
      described('Where the page starts. Use only values from the `Link` header of the previous page.'),
    ),
  ],
  parameterNames: () => ['cursor'],
  place: () => ({ parameter: 'cursor' }),
};

/** Set by the reply itself. */
export const paging: SourceKind<ContinuationSource<'paging'>> = { bind: () => ({}) };

/** Whether the Prefer header asks for the total (RFC 7240). */
export const fromCounting: ContinuationSource<'counting'> = { from: 'counting' };

/** Every other preference is ignored (RFC 7240, 2). */
const COUNT_EXACT = /(?:^|,)\s*count\s*=\s*(?:exact|"exact")\s*(?:[,;]|$)/i;

/** Whether a Prefer header asks for the total of a list. */
export const asksForTotal = (prefer: unknown): boolean => prefer !== undefined && COUNT_EXACT.test(String(prefer));

/** The Prefer header, for OpenAPI. */
export const PREFER: Parameter = {
  name: 'Prefer',
  in: 'header',
  description: '`count=exact`: the response says in `X-Total-Count` how long the whole list is.',
  schema: { type: 'string' },
};

export const counting: SourceKind<ContinuationSource<'counting'>> = {
  bind: (_, { variable }) => ({
    query: ({ headers }, { variables }) => {
      if (asksForTotal(headers.prefer)) variables[variable] = true;
    },
  }),
  parameters: () => [PREFER],
};
