import { texts } from '../../../src/http/query-string.ts';
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
    // A string, because code generators would serialize an array in their own way.
    queryParameter(
      name,
      { type: 'string', contentMediaType: 'application/json', pattern: arrayPattern(most) },
      { description: `${description} A JSON array of at most ${most}, as text.`, example: '["A1","B2"]' },
    ),
  ],
  parameterNames: ({ name }) => [name],
  place: ({ name }) => ({ parameter: name }),
};

/** A pattern for JSON arrays of at most `most` plain codes, without spaces around them. */
const arrayPattern = (most: number): string => {
  const code = '"[A-Za-z0-9 ._/-]{1,100}"';
  return `^\\[(${code}(,${code}){0,${most - 1}})?\\]$`;
};

/** Texts in the query string, in any number of parameters with the same name. */
export interface TextListSource {
  readonly from: 'text-list';
  readonly name: string;
  readonly description: string;
  /** A parameter may hold several texts separated by commas, none of them empty. */
  readonly commas: boolean;
}

/** Texts in the query string, separated by commas or each in its own parameter; not empty. */
export const fromCommaList = (name: string, description: string): TextListSource => ({
  from: 'text-list',
  name,
  description,
  commas: true,
});

/** Alternative filter texts of a list, each in its own parameter; they may be empty (contract §13). */
export const fromQueryAsFilters = (name: string, description: string): TextListSource => ({
  from: 'text-list',
  name,
  description,
  commas: false,
});

export const textList: SourceKind<TextListSource> = {
  bind: ({ name, commas }, { variable }) => ({
    query: ({ query }, { variables, violations }) => {
      const given = query.get(name);
      if (given === undefined) return;
      if (commas && given.includes('')) violations.push({ parameter: name, message: 'must not be empty.' });
      else variables[variable] = commas ? given.flatMap(partsOf) : given;
    },
  }),
  parameters: ({ name, description, commas }) => [
    queryParameter(
      name,
      { type: 'array', items: { type: 'string' } },
      commas
        ? { description: `${description} Separated by commas, or repeated.`, style: 'form', explode: false }
        : { description, explode: true },
    ),
  ],
  parameterNames: ({ name }) => [name],
  place: ({ name }) => ({ parameter: name }),
};

const partsOf = (text: string): string[] => text.split(',').map((part) => part.trim());
