import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { page, pageArguments, pageSources, pageVariables } from '../declare/list-operation.ts';
import { created, list, one } from '../declare/reply.ts';
import {
  fromBody,
  fromBodyOrMember,
  fromIfMatch,
  fromPath,
  fromPreviousVersion,
  fromQueryAsFilter,
} from '../declare/source.ts';
import { v2 } from './family.ts';
import { envelope, envelopeFields } from './views.ts';

const id = fromPath('organization_id');

/** /v2/organizations: the registry of parties. */
export const organizations: readonly Endpoint[] = [
  endpoint(v2, {
    id: 'v2.organizations.list',
    route: 'GET /organizations',
    summary: 'Lists organizations. All organizations are visible to every caller.',
    operation: `query V2OrganizationsList(${pageVariables}, $nameContains: String) {
      organizations(${pageArguments}, nameContains: $nameContains) { ${page(envelopeFields)} }
    }`,
    variables: {
      nameContains: fromQueryAsFilter('name', 'A part of the name, case-insensitive.'),
      ...pageSources({
        category: {
          field: 'category',
          none: true,
          description: 'shipper, inspector, or none for organizations without one.',
        },
      }),
    },
    reply: list(envelope, 'OrganizationBody'),
    errors: [],
  }),
  endpoint(v2, {
    id: 'v2.organizations.create',
    route: 'POST /organizations',
    summary: "Creates an organization of the caller's tenant. The name is globally unique.",
    operation: `mutation V2OrganizationsCreate($body: OrganizationBody!) {
      createOrganization(body: $body) { ${envelopeFields} }
    }`,
    variables: { body: fromBodyOrMember('body') },
    reply: created(envelope, 'OrganizationBody'),
    errors: ['NAME_TAKEN'],
  }),
  endpoint(v2, {
    id: 'v2.organizations.get',
    route: 'GET /organizations/{organization_id}',
    summary: 'Returns an organization.',
    operation: `query V2OrganizationsGet($id: UUID!) { organization(id: $id) { ${envelopeFields} } }`,
    variables: { id },
    reply: one(envelope, 'OrganizationBody'),
    errors: ['NOT_FOUND'],
  }),
  endpoint(v2, {
    id: 'v2.organizations.update',
    route: 'PATCH /organizations/{organization_id}',
    summary: "Changes an organization of the caller's tenant.",
    operation: `mutation V2OrganizationsUpdate($id: UUID!, $patch: OrganizationPatch!, $expectedVersion: [String!], $previousVersion: UUID) {
      updateOrganization(id: $id, patch: $patch, expectedVersion: $expectedVersion, previousVersion: $previousVersion) { ${envelopeFields} }
    }`,
    variables: { id, patch: fromBody('body'), expectedVersion: fromIfMatch, previousVersion: fromPreviousVersion },
    reply: one(envelope, 'OrganizationBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'NAME_TAKEN', 'VERSION_CONFLICT', 'PRECONDITION_FAILED'],
  }),
  endpoint(v2, {
    id: 'v2.organizations.delete',
    route: 'DELETE /organizations/{organization_id}',
    summary:
      'Deletes an organization permanently and returns its last version. Refused while it is a party of a workspace that its tenant has not declined.',
    operation: `mutation V2OrganizationsDelete($id: UUID!, $expectedVersion: [String!]) {
      deleteOrganization(id: $id, expectedVersion: $expectedVersion) { ${envelopeFields} }
    }`,
    variables: { id, expectedVersion: fromIfMatch },
    reply: one(envelope, 'OrganizationBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'IN_USE', 'PRECONDITION_FAILED'],
  }),
];
