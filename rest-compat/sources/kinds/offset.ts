import { wholeNumber } from '../../../src/http/query-string.ts';
import { described, queryParameter, type SourceKind, setVariable, WHOLE_NUMBER } from '../source-kind.ts';

/** The number of items to skip at the start of a list. */
export interface OffsetSource {
  readonly from: 'offset';
}

/** The number of items to skip at the start of a list. */
export const fromOffset: OffsetSource = { from: 'offset' };

export const offset: SourceKind<OffsetSource> = {
  bind: (_, { variable }) => ({
    query: ({ query }, binding) =>
      setVariable(binding, variable, wholeNumber(query, 'offset', { least: 0 }, binding.violations)),
  }),
  parameters: () => [
    queryParameter(
      'offset',
      { ...WHOLE_NUMBER, minimum: 0, default: 0 },
      described('The number of items to skip at the start.'),
    ),
  ],
  parameterNames: () => ['offset'],
};
