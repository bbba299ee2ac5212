import { matchTags } from '../../../src/http/etag.ts';
import type { SourceKind } from '../source-kind.ts';

/** The header If-Match. */
export interface IfMatchSource {
  readonly from: 'if-match';
  /** The request may also create, so that If-None-Match means something to it. */
  readonly mayCreate: boolean;
}

/** The strong ETags of If-Match, or `*`; without the header the variable is not set. */
export const fromIfMatch: IfMatchSource = { from: 'if-match', mayCreate: false };

/** The same for a request that creates what does not exist. */
export const fromIfMatchOfUpsert: IfMatchSource = { from: 'if-match', mayCreate: true };

export const ifMatch: SourceKind<IfMatchSource> = {
  bind: ({ mayCreate }, { variable }) => ({
    body: ({ headers }, { variables, violations }) => {
      const header = headers['if-match'];
      if (header !== undefined) variables[variable] = matchTags(header);
      const unless = headers['if-none-match'];
      if (unless === undefined || mayCreate) return;
      // `*` fails wherever there is something to change (RFC 9110, 13.1.2), as If-Match without any tag does.
      if (unless.trim() === '*') variables[variable] = [];
      else violations.push({ parameter: 'If-None-Match', message: ONLY_STAR });
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
  place: () => ({ parameter: 'If-Match' }),
};

const ONLY_STAR = 'may only be * in a request that changes what exists: send the ETag of its version as If-Match.';
