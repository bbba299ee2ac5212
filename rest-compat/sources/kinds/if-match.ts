import { matchTags } from '../../../src/http/etag.ts';
import type { SourceKind } from '../source-kind.ts';

/** The header If-Match. */
export interface IfMatchSource {
  readonly from: 'if-match';
}

/** The strong ETags of If-Match, or `*`; without the header the variable is not set. */
export const fromIfMatch: IfMatchSource = { from: 'if-match' };

export const ifMatch: SourceKind<IfMatchSource> = {
  bind: (_, { variable }) => ({
    body: ({ headers }, { variables }) => {
      const header = headers['if-match'];
      if (header !== undefined) variables[variable] = matchTags(header);
    },
  }),
  parameters: () => [
    {
      name: 'If-Match',
      in: 'header',
      description: 'ETags, one of which must be current; otherwise 412. Weak tags never match.',
      schema: { type: 'string' },
    },
  ],
};
