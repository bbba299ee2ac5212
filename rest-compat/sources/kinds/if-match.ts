import { matchTags } from '../../../src/http/etag.ts';
import type { Parameter } from '../../declare/openapi-parts.ts';
import type { SourceKind } from '../source-kind.ts';

/** The header If-Match. */
export interface IfMatchSource {
  readonly from: 'if-match';
  /** The request may also create, so it supports If-None-Match. */
  readonly mayCreate: boolean;
}

/** The strong ETags of If-Match, or `*`; without the header the variable is not set. */
export const fromIfMatch: IfMatchSource = { from: 'if-match', mayCreate: false };

/** The same for an upsert. */
export const fromIfMatchOfUpsert: IfMatchSource = { from: 'if-match', mayCreate: true };

export const ifMatch: SourceKind<IfMatchSource> = {
  bind: ({ mayCreate }, { variable }) => ({
    body: ({ headers }, binding) => {
      const header = headers['if-match'];
      if (header !== undefined) binding.variables[variable] = matchTags(header);
      const unless = headers['if-none-match'];
      if (unless === undefined || mayCreate) return;
      if (unless.trim() !== '*') binding.violations.push({ parameter: 'If-None-Match', message: ONLY_STAR });
      // `*` fails whenever the entity exists (RFC 9110, 13.1.2), as does If-Match without any tag.
      binding.variables[variable] = [];
      binding.unmet = ONLY_NEW;
    },
  }),
  parameters: ({ mayCreate }) => (mayCreate ? [IF_MATCH] : [IF_MATCH, IF_NONE_MATCH]),
  place: () => ({ parameter: 'If-Match' }),
};

const IF_MATCH: Parameter = {
  name: 'If-Match',
  in: 'header',
  description: 'ETags, one of which must be current; otherwise 412. Weak tags never match.',
  schema: { type: 'string' },
};

const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description:
    'Only `*`, which is 412 wherever there is something to change: send the ETag of its version as If-Match.',
  schema: { type: 'string', pattern: '^\\*$' },
};

const ONLY_NEW =
  'If-None-Match: * holds for nothing that exists: to change a certain version, send its ETag as If-Match.';
const ONLY_STAR = 'may only be * in a request that changes what exists: send the ETag of its version as If-Match.';
