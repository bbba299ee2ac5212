import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { page, pageArguments, pageSources, pageVariables } from '../declare/list-operation.ts';
import { created, list, one } from '../declare/reply.ts';
import {
  fromBody,
  fromBodyOrMember,
  fromIfMatch,
  fromPath,
  fromPathOfA,
  fromPreviousVersion,
} from '../declare/source.ts';
import { v2 } from './family.ts';
import { envelope, envelopeFields } from './views.ts';

const workspace = fromPath('workspace_id');
const catalog = fromPath('xtype', 'The catalog, such as locations; letters, digits, _, - and .');
const id = fromPathOfA('catalog record', 'id');

/** /v2/workspaces/{workspace_id}/xrefs/{xtype}: the records of one catalog of a workspace. */
export const xrefs: readonly Endpoint[] = [
  endpoint(v2, {
    id: 'v2.xrefs.list',
    route: 'GET /workspaces/{workspace_id}/xrefs/{xtype}',
    summary: 'Lists the external references of one catalog.',
    operation: `query V2XrefsList($workspace: UUID!, $catalog: String!, ${pageVariables}) {
      catalogRecords(workspace: $workspace, catalog: $catalog, ${pageArguments}) { ${page(envelopeFields)} }
    }`,
    variables: { workspace, catalog, ...pageSources() },
    reply: list(envelope, 'CatalogRecordBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(v2, {
    id: 'v2.xrefs.create',
    route: 'POST /workspaces/{workspace_id}/xrefs/{xtype}',
    summary: "Creates an external reference, owned by the caller's party.",
    operation: `mutation V2XrefsCreate($workspace: UUID!, $catalog: String!, $body: CatalogRecordBody!) {
      createCatalogRecord(workspace: $workspace, catalog: $catalog, body: $body) { ${envelopeFields} }
    }`,
    variables: { workspace, catalog, body: fromBodyOrMember('body') },
    reply: created(envelope, 'CatalogRecordBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'XREF_TAKEN'],
  }),
  endpoint(v2, {
    id: 'v2.xrefs.get',
    route: 'GET /workspaces/{workspace_id}/xrefs/{xtype}/{id}',
    summary: 'Returns an external reference.',
    operation: `query V2XrefsGet($workspace: UUID!, $catalog: String!, $id: UUID!) {
      catalogRecord(workspace: $workspace, catalog: $catalog, id: $id) { ${envelopeFields} }
    }`,
    variables: { workspace, catalog, id },
    reply: one(envelope, 'CatalogRecordBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(v2, {
    id: 'v2.xrefs.update',
    route: 'PATCH /workspaces/{workspace_id}/xrefs/{xtype}/{id}',
    summary:
      'Changes an external reference; its workspace cannot be changed, its xtype only while nothing refers to it.',
    operation: `mutation V2XrefsUpdate($workspace: UUID!, $catalog: String!, $id: UUID!, $patch: CatalogRecordPatch!, $expectedVersion: [String!], $previousVersion: UUID) {
      updateCatalogRecord(workspace: $workspace, catalog: $catalog, id: $id, patch: $patch, expectedVersion: $expectedVersion, previousVersion: $previousVersion) { ${envelopeFields} }
    }`,
    variables: {
      workspace,
      catalog,
      id,
      patch: fromBody('body'),
      expectedVersion: fromIfMatch,
      previousVersion: fromPreviousVersion,
    },
    reply: one(envelope, 'CatalogRecordBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'XREF_TAKEN', 'IN_USE', 'VERSION_CONFLICT', 'PRECONDITION_FAILED'],
  }),
  endpoint(v2, {
    id: 'v2.xrefs.delete',
    route: 'DELETE /workspaces/{workspace_id}/xrefs/{xtype}/{id}',
    summary: 'Deletes an external reference with its synonyms. Refused while documents refer to it.',
    operation: `mutation V2XrefsDelete($workspace: UUID!, $catalog: String!, $id: UUID!, $expectedVersion: [String!]) {
      deleteCatalogRecord(workspace: $workspace, catalog: $catalog, id: $id, expectedVersion: $expectedVersion) { ${envelopeFields} }
    }`,
    variables: { workspace, catalog, id, expectedVersion: fromIfMatch },
    reply: one(envelope, 'CatalogRecordBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'IN_USE', 'PRECONDITION_FAILED'],
  }),
];
