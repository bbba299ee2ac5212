import type { Entity } from '../src/model/entity/entity.ts';
import { workspaceType } from '../src/model/entity/entity-types.ts';
import { builder } from './building/builder.ts';
import { changeArgs, EntityRef, removalArgs, VersionRef, versionArgs } from './building/entity.ts';
import { connection, listArgs } from './building/page.ts';
import { OrganizationRef } from './organization.ts';

const Party = builder.objectRef<{ readonly workspace: Entity; readonly side: 'client' | 'vendor' }>('Party').implement({
  description: 'One of the two parties of a workspace.',
  fields: (t) => ({
    organization: t.field({
      type: OrganizationRef,
      nullable: true,
      description: "The party's record in the organization registry.",
      resolve: ({ workspace, side }, _args, { load }) => load.organization(workspace.at('parties', side, 'id')),
    }),
    xref: t.string({
      nullable: true,
      description: "The party's identifier in the other party's system.",
      resolve: ({ workspace, side }) => workspace.at('parties', side, 'xref') as string | null | undefined,
    }),
  }),
});

export const WorkspaceRef = builder.objectRef<Entity>('Workspace').implement({
  description:
    'Where two parties work together: a cargo owner (client) and an inspection company (vendor). Jobs, results and catalogs live in it; both see and may change everything, and nobody else sees any of it.',
  interfaces: [EntityRef],
  fields: (t) => ({
    description: t.string({
      nullable: true,
      description: 'Free text.',
      resolve: (workspace) => workspace.at('description') as string | null | undefined,
    }),
    client: t.field({
      type: Party,
      description: 'The cargo owner or shipper, who asks for inspection jobs.',
      resolve: (workspace) => ({ workspace, side: 'client' as const }),
    }),
    vendor: t.field({
      type: Party,
      description: 'The inspection company, which reports results.',
      resolve: (workspace) => ({ workspace, side: 'vendor' as const }),
    }),
    versions: t.field({
      type: [VersionRef],
      description: 'The versions, newest first; every one is kept.',
      args: versionArgs(),
      resolve: (workspace, window, { load }) => load.versions(workspace, window),
    }),
  }),
});

const WorkspaceConnection = connection('Workspace', WorkspaceRef);

builder.objectField(OrganizationRef, 'workspaces', (t) =>
  t.field({
    type: WorkspaceConnection,
    description: "The workspaces that the organization is a party of, of those that the caller's tenant is one of too.",
    args: listArgs(workspaceType),
    resolve: ({ id }, args, { domain }) => domain.workspaces.list({ ...args, organization: id }),
  }),
);

builder.queryFields((t) => ({
  workspace: t.field({
    type: WorkspaceRef,
    nullable: true,
    description: "One workspace; FORBIDDEN when the caller's tenant is not a party of it.",
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of the workspace.' }) },
    resolve: (_root, { id }, { domain }) => domain.workspaces.get(id),
  }),
  workspaces: t.field({
    type: WorkspaceConnection,
    description: "The workspaces that the caller's tenant is a party of.",
    args: listArgs(workspaceType),
    resolve: (_root, args, { domain }) => domain.workspaces.list(args),
  }),
}));

builder.mutationFields((t) => ({
  createWorkspace: t.field({
    type: WorkspaceRef,
    description: "Opens a workspace for two organizations, of which at least one is the caller's.",
    args: { body: t.arg({ type: 'WorkspaceBody', required: true, description: 'The workspace.' }) },
    resolve: (_root, { body }, { domain }) => domain.workspaces.create(body),
  }),
  updateWorkspace: t.field({
    type: WorkspaceRef,
    description: 'Changes a workspace by a JSON Merge Patch; an attempt to change the parties is ignored.',
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'The id of the workspace.' }),
      patch: t.arg({ type: 'WorkspacePatch', required: true, description: 'What changes.' }),
      ...changeArgs(),
    },
    resolve: (_root, { id, patch, ...expectation }, { domain }) => domain.workspaces.update(id, patch, expectation),
  }),
  deleteWorkspace: t.field({
    type: WorkspaceRef,
    description: 'Removes a workspace and its catalogs for good. WORKSPACE_NOT_EMPTY while it holds documents.',
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of the workspace.' }), ...removalArgs() },
    resolve: (_root, { id, ...expectation }, { domain }) => domain.workspaces.remove(id, expectation),
  }),
}));
