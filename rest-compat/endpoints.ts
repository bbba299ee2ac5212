import { health } from './data-api/health.ts';
import { jobs as dataApiJobs } from './data-api/jobs.ts';
import type { Endpoint } from './declare/endpoint.ts';
import { catalogs } from './legacy/catalogs.ts';
import { files } from './legacy/files.ts';
import { jobs } from './legacy/jobs.ts';
import { results } from './legacy/results.ts';
import { synonyms as legacySynonyms } from './legacy/synonyms.ts';
import { workspaces as legacyWorkspaces } from './legacy/workspaces.ts';
import { records } from './reference/records.ts';
import { session } from './reference/session.ts';
import { attachments } from './v2/attachments.ts';
import { changes } from './v2/changes.ts';
import { documents } from './v2/documents.ts';
import { organizations } from './v2/organizations.ts';
import { schemas } from './v2/schemas.ts';
import { synonyms } from './v2/synonyms.ts';
import { webhooks } from './v2/webhooks.ts';
import { workspaces } from './v2/workspaces.ts';
import { xrefs } from './v2/xrefs.ts';

/** Every REST endpoint of the service, in the order of the documentation. */
export const endpoints: readonly Endpoint[] = [
  ...health,
  ...dataApiJobs,
  ...session,
  ...records,
  ...organizations,
  ...workspaces,
  ...documents,
  ...attachments,
  ...xrefs,
  ...synonyms,
  ...changes,
  ...webhooks,
  ...schemas,
  ...legacyWorkspaces,
  ...jobs,
  ...results,
  ...files,
  ...catalogs,
  ...legacySynonyms,
];
