import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { page, pageArguments, pageSources, pageVariables } from '../declare/list-operation.ts';
import { created, list, one } from '../declare/reply.ts';
import { fromBody, fromIfMatch, fromPath } from '../declare/source.ts';
import { legacy } from './family.ts';
import { bodyFields, idAndBody } from './views.ts';

const id = fromPath('workspace_id');

/** /workspaces: every answer is `{id, body}`. */
export const workspaces: readonly Endpoint[] = [
  endpoint(legacy, {
    id: 'legacy.workspaces.list',
    route: 'GET /workspaces',
    summary: "Lists the workspaces that the caller's tenant is a party to.",
    operation: `query LegacyWorkspacesList(${pageVariables}) {
      workspaces(${pageArguments}) { ${page(bodyFields)} }
    }`,
    variables: pageSources(),
    reply: list(idAndBody, 'WorkspaceBody'),
    errors: [],
  }),
  endpoint(legacy, {
    id: 'legacy.workspaces.create',
    route: 'POST /workspaces',
    summary: "Creates a workspace for two organizations, at least one of which belongs to the caller's tenant.",
    operation: `mutation LegacyWorkspacesCreate($body: WorkspaceBody!) { createWorkspace(body: $body) { ${bodyFields} } }`,
    variables: { body: fromBody() },
    reply: created(idAndBody, 'WorkspaceBody'),
    errors: ['FORBIDDEN', 'QUOTA_EXCEEDED'],
  }),
  endpoint(legacy, {
    id: 'legacy.workspaces.get',
    route: 'GET /workspaces/{workspace_id}',
    summary: 'Returns a workspace.',
    operation: `query LegacyWorkspacesGet($id: UUID!) { workspace(id: $id) { ${bodyFields} } }`,
    variables: { id },
    reply: one(idAndBody, 'WorkspaceBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(legacy, {
    id: 'legacy.workspaces.update',
    route: 'PATCH /workspaces/{workspace_id}',
    summary: 'Changes the description. Changes to the parties are ignored.',
    operation: `mutation LegacyWorkspacesUpdate($id: UUID!, $patch: WorkspacePatch!, $expectedVersion: [String!]) {
      updateWorkspace(id: $id, patch: $patch, expectedVersion: $expectedVersion) { ${bodyFields} }
    }`,
    variables: { id, patch: fromBody(), expectedVersion: fromIfMatch },
    reply: one(idAndBody, 'WorkspaceBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  }),
  endpoint(legacy, {
    id: 'legacy.workspaces.delete',
    route: 'DELETE /workspaces/{workspace_id}',
    summary: 'Deletes an empty workspace and its catalog records permanently, and returns its last version.',
    operation: `mutation LegacyWorkspacesDelete($id: UUID!, $expectedVersion: [String!]) {
      deleteWorkspace(id: $id, expectedVersion: $expectedVersion) { ${bodyFields} }
    }`,
    variables: { id, expectedVersion: fromIfMatch },
    reply: one(idAndBody, 'WorkspaceBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'WORKSPACE_NOT_EMPTY', 'PRECONDITION_FAILED'],
  }),
];
