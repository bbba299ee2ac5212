import { noneMatchTags } from '../../../src/http/etag.ts';
import type { SourceKind } from '../source-kind.ts';

/** The header If-None-Match of a request that writes. */
export interface IfNoneMatchSource {
  readonly from: 'if-none-match';
}

/** The ETags of If-None-Match, or `*`; without the header the variable is not set. */
export const fromIfNoneMatch: IfNoneMatchSource = { from: 'if-none-match' };

export const ifNoneMatch: SourceKind<IfNoneMatchSource> = {
  bind: (_, { variable }) => ({
    body: ({ headers }, { variables }) => {
      const header = headers['if-none-match'];
      if (header !== undefined) variables[variable] = noneMatchTags(header);
    },
  }),
  parameters: () => [
    {
      name: 'If-None-Match',
      in: 'header',
      description: '`*`: the entity must not exist yet; or ETags, none of which it may have; else 412.',
      schema: { type: 'string' },
    },
  ],
  place: () => ({ parameter: 'If-None-Match' }),
};
