import { invalidHeader } from '../../src/errors.ts';
import type { Family } from '../declare/family.ts';

const VERSION = '1.0';

/** The Data API: paths with v1, and an optional version header (interface, "Versioning"). */
export const dataApi: Family = {
  name: 'bridge',
  title: 'Data API',
  introduction: `## The first five minutes
1. Send an API key: \`Authorization: Bearer <API key>\`. The demo has \`demo-client-key\` and \`demo-vendor-key\`. \`GET /bridge/v1/health\` needs none.
2. POST a job to \`/bridge/v1/data/jobs\`: \`{"refNumber": "R-1", "client": {"name": "…"}, "vendor": {"name": "…"}}\`. It goes into the one workspace of these parties that your
   tenant opened or accepted; otherwise \`X-Job-Placement\` says why it is in none.
3. GET the same path for all jobs, those of the other APIs included. Files are attached by v2, under the id of the job.
4. \`limit\` makes pages; the header \`Link\` leads to the next, and \`Prefer: count=exact\` asks for \`X-Total-Count\`.

Errors are problem documents (RFC 9457): rely on \`code\`, and on \`errors\`, which lists every error with its location. Write to support with \`requestId\`.
Send an \`Idempotency-Key\` with a POST or PUT, and it can be repeated safely.`,
  base: '/bridge/v1',
  filterStyle: 'none',
  version: VERSION,
  check: ({ headers }) => {
    const asked = headers['accept-version'] || VERSION;
    if (asked === VERSION) return undefined;
    return invalidHeader('Accept-Version', `must be ${VERSION}; there is no ${asked}.`, 'UNSUPPORTED_VERSION');
  },
};
