import { wholeNumber } from '../../../src/http/query-string.ts';
import { queryParameter, type SourceKind, setVariable, WHOLE_NUMBER } from '../source-kind.ts';

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
      setVariable(binding, variable, wholeNumber(query, name, { least, most }, binding.faults)),
  }),
  parameters: ({ name, least, most, otherwise, description }) => [
    queryParameter(name, { ...WHOLE_NUMBER, minimum: least, maximum: most, default: otherwise }, { description }),
  ],
  parameterNames: ({ name }) => [name],
  place: ({ name }) => ({ parameter: name }),
};
