import type { Family } from '../declare/family.ts';

/** The legacy Workspace API: bare bodies, filters without a prefix, whole lists (interface, "Workspace API"). */
export const legacy: Family = {
  name: 'legacy',
  title: 'Workspace API',
  introduction: `## The first five minutes
1. Send an API key: \`Authorization: Bearer <API key>\`. The demo has \`demo-client-key\` and \`demo-vendor-key\`.
2. GET \`/workspaces\` for those that you are a party of, or POST one between two organizations, which v2 creates.
3. POST a job to \`/workspaces/{workspace_id}/jobs\`: \`{"refNumber": "R-1", "location": {"name": "Rotterdam"}}\`. Records that it names and that do not exist yet are created; the response has their ids.
4. POST results below it (\`/quality\`, \`/quantity\`, \`/timelog\`), and a file as multipart/form-data, in the part \`file\`, to \`/files\`.
5. Lists have everything, unless \`limit\` asks for pages; then the header \`Link\` leads to the next. Any field filters: \`status=active\`.

Errors are problem documents (RFC 9457): rely on \`code\`, and on \`errors\`, which lists every error with its location. Write to support with \`requestId\`.
Send an \`Idempotency-Key\` with a POST or PUT, and it can be repeated safely. A PATCH is a JSON Merge Patch, the whole request body.`,
  base: '',
  filterStyle: 'bare',
};
