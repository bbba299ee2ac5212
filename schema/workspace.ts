import type { ListRequest } from '../src/domain/lists/list-request.ts';
import type { Entity } from '../src/model/entity/entity.ts';
import { workspaceType } from '../src/model/entity/entity-types.ts';
import type { JsonObject } from '../src/model/json.ts';
import { builder } from './building/builder.ts';
import { checked } from './building/checked.ts';
import { changeArgs, checkedWindow, EntityRef, removalArgs, VersionRef, versionArgs } from './building/entity.ts';
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
    'The shared space of two parties: a cargo owner (client) and an inspection company (vendor). Both can read and change its jobs, results and catalogs; others have no access.',
  interfaces: [EntityRef],
  fields: (t) => ({
    description: t.string({
      nullable: true,
      description: 'Free text.',
      resolve: (workspace) => workspace.at('description') as string | null | undefined,
    }),
    client: t.field({
      type: Party,
      description: 'The cargo owner or shipper, which requests inspection jobs.',
      resolve: (workspace) => ({ workspace, side: 'client' as const }),
    }),
    vendor: t.field({
      type: Party,
      description: 'The inspection company, which reports results.',
      resolve: (workspace) => ({ workspace, side: 'vendor' as const }),
    }),
    acceptedBy: t.field({
      type: [OrganizationRef],
      description:
        'The parties that accepted the workspace: by opening it, by writing in it, or by acceptWorkspace. The Data API places the jobs of a party only in workspaces that it accepted.',
      resolve: async (workspace, _args, { domain, load }) => {
        const organizations = await Promise.all(
          domain.workspaces.acceptedBy(workspace).map((id) => load.organization(id)),
        );
        return organizations.filter((organization) => organization !== undefined);
      },
    }),
    versions: t.field({
      type: [VersionRef],
      description: 'All versions, newest first.',
      args: versionArgs(),
      extensions: checkedWindow,
      resolve: (workspace, window, { load }) => load.versions(workspace, window),
    }),
  }),
});

const WorkspaceConnection = connection('Workspace', WorkspaceRef);

const checkedWorkspaces = checked((args: ListRequest, { domain }) => domain.workspaces.checkList(args));

builder.objectField(OrganizationRef, 'workspaces', (t) =>
  t.field({
    type: WorkspaceConnection,
    description: "The workspaces that both the organization and the caller's tenant are party to.",
    args: listArgs(workspaceType),
    extensions: checkedWorkspaces,
    resolve: ({ id }, args, { domain }) => domain.workspaces.list({ ...args, organization: id }),
  }),
);

builder.queryFields((t) => ({
  workspace: t.field({
    type: WorkspaceRef,
    nullable: true,
    description: "One workspace; FORBIDDEN if the caller's tenant is not a party to it.",
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of the workspace.' }) },
    resolve: (_root, { id }, { domain }) => domain.workspaces.get(id),
  }),
  workspaces: t.field({
    type: WorkspaceConnection,
    description: "The workspaces that the caller's tenant is a party to.",
    args: listArgs(workspaceType),
    extensions: checkedWorkspaces,
    resolve: (_root, args, { domain }) => domain.workspaces.list(args),
  }),
}));

builder.mutationFields((t) => ({
  createWorkspace: t.field({
    type: WorkspaceRef,
    description: "Creates a workspace for two organizations, at least one of which must be of the caller's tenant.",
    args: { body: t.arg({ type: 'WorkspaceBody', required: true, description: 'The workspace.' }) },
    resolve: (_root, { body }, { domain }) => domain.workspaces.create(body),
  }),
  updateWorkspace: t.field({
    type: WorkspaceRef,
    description: 'Changes a workspace by a JSON Merge Patch; changes to the parties are ignored.',
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'The id of the workspace.' }),
      patch: t.arg({ type: 'WorkspacePatch', required: true, description: 'The changes; null removes a member.' }),
      ...changeArgs(),
    },
    extensions: checked(({ patch }: { readonly patch?: JsonObject }, { domain }) => {
      if (patch) domain.workspaces.checkPatch(patch);
    }),
    resolve: (_root, { id, patch, ...expectation }, { domain }) => domain.workspaces.update(id, patch, expectation),
  }),
  acceptWorkspace: t.field({
    type: WorkspaceRef,
    description:
      "Accepts a workspace that the other party opened, so that the Data API may place the caller's jobs in it; also takes a declined one back into the lists. No event tells of that: whoever keeps a copy over all workspaces must read its list again. Writing in a workspace accepts it, too. CONFLICT if the organization of the caller's tenant in it was deleted.",
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of the workspace.' }) },
    resolve: (_root, { id }, { domain }) => domain.workspaces.accept(id),
  }),
  declineWorkspace: t.field({
    type: WorkspaceRef,
    description:
      "Takes a workspace that the other party opened, and what is in it, out of the lists, statistics and subscriptions of the caller's tenant. CONFLICT if the tenant opened it or wrote in it.",
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of the workspace.' }) },
    resolve: (_root, { id }, { domain }) => domain.workspaces.decline(id),
  }),
  deleteWorkspace: t.field({
    type: WorkspaceRef,
    description: 'Deletes a workspace and its catalogs permanently. WORKSPACE_NOT_EMPTY while it contains documents.',
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of the workspace.' }), ...removalArgs() },
    resolve: (_root, { id, ...expectation }, { domain }) => domain.workspaces.remove(id, expectation),
  }),
}));
