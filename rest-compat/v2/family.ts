import type { Family } from '../declare/family.ts';

/** The v2 Workspace API: envelopes, `filter[...]`, 25 items by default (interface, "v2"). */
export const v2: Family = {
  name: 'v2',
  title: 'v2 API',
  introduction: `## The first five minutes
1. Send an API key: \`Authorization: Bearer <API key>\`. The demo has \`demo-client-key\` and \`demo-vendor-key\`.
2. POST an organization for each party (\`/v2/organizations\`), or find the partner's, and a workspace between the two (\`/v2/workspaces\`).
3. POST a job to \`/v2/workspaces/{workspace_id}/documents\`: \`{"type": "svc.inspection.job", "body": {"refNumber": "R-1", "location": {"name": "Rotterdam"}}}\`. Records that it names and that do not
   exist yet are created; the response has their ids.
4. POST a file as multipart/form-data, in the part \`file\`, to \`…/documents/{document_id}/attachments\`.
5. Lists have 25 items: \`limit\`, \`filter[status]=active\` and \`sort=eta:desc\` choose others, the header \`Link\` leads to the next page.
6. Follow what happens by \`/v2/changes\` or a webhook.

Errors are problem documents (RFC 9457): rely on \`code\`, and on \`errors\`, which lists every error with its location. Write to support with \`requestId\`.
Send an \`Idempotency-Key\` with a POST or PUT, and it can be repeated safely. A PATCH is a JSON Merge Patch; \`If-Match\` or \`previous_version_id\` keeps it from overwriting what you have not seen.`,
  base: '/v2',
  filterStyle: 'bracketed',
  defaultLimit: 25,
};
