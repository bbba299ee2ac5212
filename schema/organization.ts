import type { OrganizationListRequest } from '../src/domain/organizations.ts';
import type { Entity } from '../src/model/entity/entity.ts';
import { organizationType } from '../src/model/entity/entity-types.ts';
import type { JsonObject } from '../src/model/json.ts';
import { builder } from './building/builder.ts';
import { checked } from './building/checked.ts';
import { changeArgs, checkedWindow, EntityRef, removalArgs, VersionRef, versionArgs } from './building/entity.ts';
import { connection, listArgs } from './building/page.ts';

export const OrganizationRef = builder.objectRef<Entity>('Organization').implement({
  description:
    'A company, or part of one, in the registry that all partners share: a cargo owner or shipper, or an inspection company. It belongs to one tenant.',
  interfaces: [EntityRef],
  fields: (t) => ({
    name: t.string({
      description: 'The name, unique among all organizations (case-insensitive).',
      resolve: (organization) => String(organization.at('name')),
    }),
    audience: t.field({
      type: 'UUID',
      description: 'The identity tenant that owns the organization.',
      resolve: (organization) => String(organization.at('audience')),
    }),
    category: t.string({
      nullable: true,
      description: 'shipper, inspector or null.',
      resolve: (organization) => organization.at('category') as string | null | undefined,
    }),
    versions: t.field({
      type: [VersionRef],
      description: 'All versions, newest first.',
      args: versionArgs(),
      extensions: checkedWindow,
      resolve: (organization, window, { load }) => load.versions(organization, window),
    }),
  }),
});

const OrganizationConnection = connection('Organization', OrganizationRef);

builder.queryFields((t) => ({
  organization: t.field({
    type: OrganizationRef,
    nullable: true,
    description: 'One organization; visible to every authenticated caller.',
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of the organization.' }) },
    resolve: (_root, { id }, { domain }) => domain.organizations.get(id),
  }),
  organizations: t.field({
    type: OrganizationConnection,
    description: 'All organizations.',
    args: {
      ...listArgs(organizationType),
      nameContains: t.arg.string({ description: 'A part of the name, case-insensitive.' }),
    },
    extensions: checked((args: OrganizationListRequest, { domain }) => domain.organizations.checkList(args)),
    resolve: (_root, args, { domain }) => domain.organizations.list(args),
  }),
}));

builder.mutationFields((t) => ({
  createOrganization: t.field({
    type: OrganizationRef,
    description: "Registers an organization of the caller's tenant. NAME_TAKEN if the name exists.",
    args: { body: t.arg({ type: 'OrganizationBody', required: true, description: 'The organization.' }) },
    resolve: (_root, { body }, { domain }) => domain.organizations.create(body),
  }),
  updateOrganization: t.field({
    type: OrganizationRef,
    description:
      "Changes an organization of the caller's tenant by a JSON Merge Patch; the audience cannot be changed.",
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'The id of the organization.' }),
      patch: t.arg({ type: 'OrganizationPatch', required: true, description: 'The changes; null removes a member.' }),
      ...changeArgs(),
    },
    extensions: checked(({ patch }: { readonly patch?: JsonObject }, { domain }) => {
      if (patch) domain.organizations.checkPatch(patch);
    }),
    resolve: (_root, { id, patch, ...expectation }, { domain }) => domain.organizations.update(id, patch, expectation),
  }),
  deleteOrganization: t.field({
    type: OrganizationRef,
    description:
      'Deletes an organization and returns its last version. IN_USE while it is a party to a workspace that its tenant has not declined.',
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'The id of the organization.' }),
      decline: t.arg.boolean({
        description:
          'Also declines the workspaces that others opened with it and that its tenant never accepted, so that they cannot prevent the deletion.',
      }),
      ...removalArgs(),
    },
    resolve: (_root, { id, ...expectation }, { domain }) => domain.organizations.remove(id, expectation),
  }),
}));
