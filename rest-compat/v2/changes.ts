import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { feed } from '../declare/reply.ts';
import { fromCommaList, fromPath, fromQuery, fromWholeNumber } from '../declare/source.ts';
import { v2 } from './family.ts';

const change = {
  id: 'id',
  kind: 'kind',
  type: 'type',
  workspace: 'workspaceId',
  document_id: 'documentId',
  version_id: 'versionId',
  at: 'at',
  by: 'by',
};
const reply = feed(change, {
  attachment: { ...change, parent_id: 'parentId' },
  finding: { ...change, parent_id: 'parentId', rule: 'rule', finding_document_id: 'findingDocumentId' },
});

const page = 'changes { id kind type workspaceId documentId versionId at by parentId rule findingDocumentId } next';
const windowVariables = '$after: ID, $first: Int! = 100, $types: [String!], $wait: Int! = 0';
const windowArguments = 'after: $after, first: $first, types: $types, wait: $wait';
const windowSources = {
  after: fromQuery(
    'after',
    'The id of the last change received, or `newest` for only what happens from now on; without it, the feed begins with the oldest kept.',
  ),
  first: fromWholeNumber('limit', {
    least: 1,
    most: 1_000,
    otherwise: 100,
    description: 'How many changes to return.',
  }),
  types: fromCommaList(
    'types',
    'Only changes of these document types; attachments have the type attachment. Findings of the figure audit have the type finding, and come only when it is named.',
  ),
  wait: fromWholeNumber('wait', {
    least: 0,
    most: 60,
    otherwise: 0,
    description: 'How many seconds to wait for a change if there is none yet.',
  }),
};

/** The change feed (contract §14): pages, long polls and Server-Sent Events. */
export const changes: readonly Endpoint[] = [
  endpoint(v2, {
    id: 'v2.changes.list',
    route: 'GET /changes',
    summary:
      'Returns the changes to documents and attachments that the caller may see, in order. With Accept: text/event-stream, the changes come as Server-Sent Events.',
    operation: `query V2ChangesList(${windowVariables}) { changes(${windowArguments}) { ${page} } }`,
    variables: windowSources,
    reply,
    errors: ['HISTORY_LOST'],
  }),
  endpoint(v2, {
    id: 'v2.changes.ofWorkspace',
    route: 'GET /workspaces/{workspace_id}/changes',
    summary:
      'Returns the changes to documents and attachments of a workspace, in order. With Accept: text/event-stream, the changes come as Server-Sent Events.',
    operation: `query V2ChangesOfWorkspace($workspace: UUID!, ${windowVariables}) {
      changes(workspace: $workspace, ${windowArguments}) { ${page} }
    }`,
    variables: { workspace: fromPath('workspace_id'), ...windowSources },
    reply,
    errors: ['FORBIDDEN', 'NOT_FOUND', 'HISTORY_LOST'],
  }),
];
