import { matchTags } from '../../../src/http/etag.ts';
import type { SourceKind } from '../source-kind.ts';

/** The header If-Match. */
export interface IfMatchSource {
  readonly from: 'if-match';
}

/** The strong tags of If-Match, or `*`; an absent header leaves the variable out. */
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
      description: 'ETags, any of which the entity must still have; else 412. Weak tags never match.',
      schema: { type: 'string' },
    },
  ],
};
