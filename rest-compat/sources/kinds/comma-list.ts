import { singleValue } from '../../../src/http/query-string.ts';
import { queryParameter, type SourceKind } from '../source-kind.ts';

/** Texts in the query string, separated by commas. */
export interface CommaListSource {
  readonly from: 'comma-list';
  readonly name: string;
  readonly description: string;
}

/** Texts in one parameter of the query string, separated by commas; empty counts as absent. */
export const fromCommaList = (name: string, description: string): CommaListSource => ({
  from: 'comma-list',
  name,
  description,
});

export const commaList: SourceKind<CommaListSource> = {
  bind: ({ name }, { variable }) => ({
    query: ({ query }, { variables, faults }) => {
      const text = singleValue(query, name, faults);
      if (text) variables[variable] = text.split(',').map((part) => part.trim());
    },
  }),
  parameters: ({ name, description }) => [
    queryParameter(
      name,
      { type: 'array', items: { type: 'string' } },
      { description: `${description} Separated by commas.`, style: 'form', explode: false },
    ),
  ],
  parameterNames: ({ name }) => [name],
  place: ({ name }) => ({ parameter: name }),
};
