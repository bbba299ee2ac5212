import { wholeNumber } from '../../../src/http/query-string.ts';
import { described, queryParameter, type SourceKind, setVariable, WHOLE_NUMBER } from '../source-kind.ts';

/** The number of items that a list leaves out at its start. */
export interface OffsetSource {
  readonly from: 'offset';
}

/** How many items the list leaves out at its start. */
export const fromOffset: OffsetSource = { from: 'offset' };

export const offset: SourceKind<OffsetSource> = {
  bind: (_, { variable }) => ({
    query: ({ query }, binding) =>
      setVariable(binding, variable, wholeNumber(query, 'offset', { least: 0 }, binding.faults)),
  }),
  parameters: () => [
    queryParameter(
      'offset',
      { ...WHOLE_NUMBER, minimum: 0, default: 0 },
      described('How many items to leave out at the start.'),
    ),
  ],
  parameterNames: () => ['offset'],
};
