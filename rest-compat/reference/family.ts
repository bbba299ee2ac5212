import type { Family } from '../declare/family.ts';

/** The Reference API, with paths that contain 1.0 (interface, "Versioning"). */
export const reference: Family = {
  name: 'reference',
  title: 'Reference API',
  introduction: `## The first five minutes
1. Send an API key: \`Authorization: Bearer <API key>\`. The demo has \`demo-client-key\` and \`demo-vendor-key\`. Or sign in with \`POST /api/rest/1.0/session\`, which sets a cookie.
2. PUT a port under a code of your own: \`PUT /api/rest/1.0/ports/NLRTM\` with \`{"name": "Rotterdam", "countryCode": "NL"}\`. 201 says that it is new, 200 that it was replaced; \`If-None-Match: *\` creates only.
3. GET it under its code, or search: \`page\`, \`resultsPerPage\`, \`dateModifiedFrom\`, \`dateModifiedTo\`, and \`clientCodes=["NLRTM"]\`.
4. DELETE makes it INACTIVE; another PUT makes it active again.

Records belong to your tenant: nobody else sees them. Errors are problem documents (RFC 9457): rely on \`code\`, and on \`errors\`, which lists every error with its location. Write to support with \`requestId\`.
Send an \`Idempotency-Key\` with a POST or PUT, and it can be repeated safely.`,
  base: '/api/rest/1.0',
  filterStyle: 'none',
};
