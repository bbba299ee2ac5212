import { singleValue, texts } from '../../../src/http/query-string.ts';
import { queryParameter, type SourceKind, setVariable } from '../source-kind.ts';

/** A JSON array of strings in the query string, with a maximum length. */
export interface JsonArraySource {
  readonly from: 'json-array';
  readonly name: string;
  readonly most: number;
  readonly description: string;
}

/** A JSON array of at most `most` strings in the query string: `["a","b"]`. */
export const fromJsonArray = (name: string, most: number, description: string): JsonArraySource => ({
  from: 'json-array',
  name,
  most,
  description,
});

export const jsonArray: SourceKind<JsonArraySource> = {
  bind: ({ name, most }, { variable }) => ({
    query: ({ query }, binding) => setVariable(binding, variable, texts(query, name, most, binding.violations)),
  }),
  parameters: ({ name, most, description }) => [
    // A text, because code generators would write an array in a form of their own.
    queryParameter(
      name,
      { type: 'string', contentMediaType: 'application/json', pattern: arrayPattern(most) },
      { description: `${description} A JSON array of at most ${most}, as text.`, example: '["A1","B2"]' },
    ),
  ],
  parameterNames: ({ name }) => [name],
  place: ({ name }) => ({ parameter: name }),
};

/** JSON arrays of at most so many plain codes, without spaces around them. */
const arrayPattern = (most: number): string => {
  const code = '"[A-Za-z0-9 ._/-]{1,100}"';
  return `^\\[(${code}(,${code}){0,${most - 1}})?\\]$`;
};

/** Texts in the query string, separated by commas. */
export interface CommaListSource {
  readonly from: 'comma-list';
  readonly name: string;
  readonly description: string;
}

/** Texts in one parameter of the query string, separated by commas; not empty. */
export const fromCommaList = (name: string, description: string): CommaListSource => ({
  from: 'comma-list',
  name,
  description,
});

export const commaList: SourceKind<CommaListSource> = {
  bind: ({ name }, { variable }) => ({
    query: ({ query }, { variables, violations }) => {
      const text = singleValue(query, name, violations);
      if (text === '') violations.push({ parameter: name, message: 'must not be empty.' });
      else if (text !== undefined) variables[variable] = text.split(',').map((part) => part.trim());
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
