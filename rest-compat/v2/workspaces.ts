import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { page, pageArguments, pageSources, pageVariables } from '../declare/list-operation.ts';
import { created, list, one } from '../declare/reply.ts';
import { fromBody, fromBodyOrMember, fromIfMatch, fromPath, fromPreviousVersion } from '../declare/source.ts';
import { v2 } from './family.ts';
import { envelope, envelopeFields } from './views.ts';

const id = fromPath('workspace_id');

/** /v2/workspaces: the shared space of exactly two parties. */
export const workspaces: readonly Endpoint[] = [
  endpoint(v2, {
    id: 'v2.workspaces.list',
    route: 'GET /workspaces',
    summary: "Lists the workspaces that the caller's tenant is a party to.",
    operation: `query V2WorkspacesList(${pageVariables}) {
      workspaces(${pageArguments}) { ${page(envelopeFields)} }
    }`,
    variables: pageSources(),
    reply: list(envelope, 'WorkspaceBody'),
    errors: [],
  }),
  endpoint(v2, {
    id: 'v2.workspaces.create',
    route: 'POST /workspaces',
    summary: "Creates a workspace for two organizations, at least one of which belongs to the caller's tenant.",
    operation: `mutation V2WorkspacesCreate($body: WorkspaceBody!) { createWorkspace(body: $body) { ${envelopeFields} } }`,
    variables: { body: fromBodyOrMember('body') },
    reply: created(envelope, 'WorkspaceBody'),
    errors: ['FORBIDDEN', 'QUOTA_EXCEEDED'],
  }),
  endpoint(v2, {
    id: 'v2.workspaces.get',
    route: 'GET /workspaces/{workspace_id}',
    summary: 'Returns a workspace.',
    operation: `query V2WorkspacesGet($id: UUID!) { workspace(id: $id) { ${envelopeFields} } }`,
    variables: { id },
    reply: one(envelope, 'WorkspaceBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(v2, {
    id: 'v2.workspaces.update',
    route: 'PATCH /workspaces/{workspace_id}',
    summary: 'Changes the description. Changes to the parties are ignored.',
    operation: `mutation V2WorkspacesUpdate($id: UUID!, $patch: WorkspacePatch!, $expectedVersion: [String!], $previousVersion: UUID) {
      updateWorkspace(id: $id, patch: $patch, expectedVersion: $expectedVersion, previousVersion: $previousVersion) { ${envelopeFields} }
    }`,
    variables: { id, patch: fromBody('body'), expectedVersion: fromIfMatch, previousVersion: fromPreviousVersion },
    reply: one(envelope, 'WorkspaceBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'VERSION_CONFLICT', 'PRECONDITION_FAILED'],
  }),
  endpoint(v2, {
    id: 'v2.workspaces.delete',
    route: 'DELETE /workspaces/{workspace_id}',
    summary: 'Deletes an empty workspace and its catalog records permanently, and returns its last version.',
    operation: `mutation V2WorkspacesDelete($id: UUID!, $expectedVersion: [String!]) {
      deleteWorkspace(id: $id, expectedVersion: $expectedVersion) { ${envelopeFields} }
    }`,
    variables: { id, expectedVersion: fromIfMatch },
    reply: one(envelope, 'WorkspaceBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'WORKSPACE_NOT_EMPTY', 'PRECONDITION_FAILED'],
  }),
];
