import { CATALOG_NAMES } from '../../src/model/catalogs.ts';
import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { page, pageArguments, pageSources, pageVariables } from '../declare/list-operation.ts';
import { created, list, one } from '../declare/reply.ts';
import { fromBody, fromBodyOfOnly, fromIfMatch, fromPath, fromPathOfA, fromPathOneOf } from '../declare/source.ts';
import { legacy } from './family.ts';
import { idAndItem, itemAlone, itemFields } from './views.ts';

const workspace = fromPath('workspace_id');
const id = fromPathOfA('catalog record', 'id');

/** Legacy paths accept only the catalogs of the interface (contract §6). */
export const catalog = fromPathOneOf(
  'catalog',
  CATALOG_NAMES,
  'One of the ten catalogs. methods and timelogEvents are aliases of testMethods and eventTypes.',
);

const named = {
  name: { field: 'name', description: 'Only records with exactly this name.' },
  xref: { field: 'xref', description: "Only records with exactly this id in a party's own system." },
};

/** /workspaces/{workspace_id}/catalogs/{catalog}: the records of the ten catalogs. */
export const catalogs: readonly Endpoint[] = [
  endpoint(legacy, {
    id: 'legacy.catalogs.list',
    route: 'GET /workspaces/{workspace_id}/catalogs/{catalog}',
    summary: 'Lists the records of a catalog.',
    operation: `query LegacyCatalogsList($workspace: UUID!, $catalog: String!, ${pageVariables}) {
      catalogRecords(workspace: $workspace, catalog: $catalog, ${pageArguments}) { ${page(itemFields)} }
    }`,
    variables: { workspace, catalog, ...pageSources(named) },
    reply: list(idAndItem, 'CatalogRecordBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(legacy, {
    id: 'legacy.catalogs.create',
    route: 'POST /workspaces/{workspace_id}/catalogs/{catalog}',
    summary: "Creates a record in a catalog, owned by the caller's party.",
    operation: `mutation LegacyCatalogsCreate($workspace: UUID!, $catalog: String!, $body: CatalogRecordBody!) {
      createCatalogRecord(workspace: $workspace, catalog: $catalog, body: $body) { ${itemFields} }
    }`,
    variables: { workspace, catalog, body: fromBody() },
    reply: created(idAndItem, 'CatalogRecordBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'XREF_TAKEN'],
  }),
  endpoint(legacy, {
    id: 'legacy.catalogs.get',
    route: 'GET /workspaces/{workspace_id}/catalogs/{catalog}/{id}',
    summary: 'Returns the body of a catalog record.',
    operation: `query LegacyCatalogsGet($workspace: UUID!, $catalog: String!, $id: UUID!) {
      catalogRecord(workspace: $workspace, catalog: $catalog, id: $id) { ${itemFields} }
    }`,
    variables: { workspace, catalog, id },
    reply: one(itemAlone, 'CatalogRecordBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(legacy, {
    id: 'legacy.catalogs.update',
    route: 'PATCH /workspaces/{workspace_id}/catalogs/{catalog}/{id}',
    summary: 'Changes the name or the xref of a catalog record and returns its new body.',
    operation: `mutation LegacyCatalogsUpdate($workspace: UUID!, $catalog: String!, $id: UUID!, $patch: CatalogRecordPatch!, $expectedVersion: [String!]) {
      updateCatalogRecord(workspace: $workspace, catalog: $catalog, id: $id, patch: $patch, expectedVersion: $expectedVersion) { ${itemFields} }
    }`,
    variables: { workspace, catalog, id, patch: fromBodyOfOnly('name', 'xref'), expectedVersion: fromIfMatch },
    reply: one(itemAlone, 'CatalogRecordBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'XREF_TAKEN', 'IN_USE', 'PRECONDITION_FAILED'],
  }),
  endpoint(legacy, {
    id: 'legacy.catalogs.delete',
    route: 'DELETE /workspaces/{workspace_id}/catalogs/{catalog}/{id}',
    summary: 'Deletes a catalog record with its synonyms. Refused while documents refer to it.',
    operation: `mutation LegacyCatalogsDelete($workspace: UUID!, $catalog: String!, $id: UUID!, $expectedVersion: [String!]) {
      deleteCatalogRecord(workspace: $workspace, catalog: $catalog, id: $id, expectedVersion: $expectedVersion) { ${itemFields} }
    }`,
    variables: { workspace, catalog, id, expectedVersion: fromIfMatch },
    reply: one(itemAlone, 'CatalogRecordBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'IN_USE', 'PRECONDITION_FAILED'],
  }),
];
