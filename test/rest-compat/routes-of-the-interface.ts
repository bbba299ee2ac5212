/** The routes listed in the interface specification; `built` says which ones the table serves. */
interface InterfaceRoutes {
  readonly built: readonly string[];
  readonly notYet: readonly string[];
  /** Served beyond those of the interface. */
  readonly added?: readonly string[];
}

const document = '/v2/workspaces/{workspace_id}/documents/{document_id}';
const xrefs = '/v2/workspaces/{workspace_id}/xrefs/{xtype}';
const job = '/workspaces/{workspace_id}/jobs/{job_id}';
const catalog = '/workspaces/{workspace_id}/catalogs/{catalog}';

const routes = (path: string, ...methods: string[]): string[] => methods.map((method) => `${method} ${path}`);

export const v2Routes: InterfaceRoutes = {
  built: [
    ...routes('/v2/organizations', 'GET', 'POST'),
    ...routes('/v2/organizations/{organization_id}', 'GET', 'PATCH', 'DELETE'),
    ...routes('/v2/workspaces', 'GET', 'POST'),
    ...routes('/v2/workspaces/{workspace_id}', 'GET', 'PATCH', 'DELETE'),
    ...routes('/v2/workspaces/{workspace_id}/documents', 'GET', 'POST'),
    ...routes(document, 'GET', 'PATCH', 'DELETE'),
    ...routes('/v2/workspaces/{workspace_id}/documents/bulk', 'POST'),
    ...routes(`${document}/attachments`, 'GET', 'POST'),
    ...routes(`${document}/attachments/{attachment_id}`, 'GET', 'DELETE'),
    ...routes(`${document}/attachments/{attachment_id}/content`, 'GET'),
    ...routes(xrefs, 'GET', 'POST'),
    ...routes(`${xrefs}/{id}`, 'GET', 'PATCH', 'DELETE'),
    ...routes('/v2/workspaces/{workspace_id}/synonyms', 'GET'),
    ...routes(`${xrefs}/{xref_id}/synonyms`, 'GET'),
    ...routes(`${xrefs}/{xref_id}/synonyms/{linked_item_id}`, 'POST', 'DELETE'),
  ],
  notYet: [],
  added: [
    ...routes('/v2/changes', 'GET'),
    ...routes('/v2/workspaces/{workspace_id}/changes', 'GET'),
    ...routes('/v2/webhooks', 'GET', 'POST'),
    ...routes('/v2/webhooks/{webhook_id}', 'GET', 'PATCH', 'DELETE'),
    ...['ping', 'rotate', 'replay', 'deliveries/{delivery_id}/retry'].flatMap((part) =>
      routes(`/v2/webhooks/{webhook_id}/${part}`, 'POST'),
    ),
    ...routes('/v2/webhooks/{webhook_id}/deliveries', 'GET'),
    ...routes('/v2/schemas', 'GET'),
    ...routes('/v2/schemas/{schema_id}', 'GET'),
  ],
};

export const bridgeRoutes: InterfaceRoutes = {
  built: [...routes('/bridge/v1/health', 'GET'), ...routes('/bridge/v1/data/jobs', 'GET', 'POST', 'PUT')],
  notYet: [],
};

const results = (noun: string, id: string): string[] => [
  ...routes(`${job}/${noun}`, 'GET', 'POST'),
  ...routes(`${job}/${noun}/{${id}}`, 'GET', 'PATCH', 'DELETE'),
];

export const legacyRoutes: InterfaceRoutes = {
  built: [
    ...routes('/workspaces', 'GET', 'POST'),
    ...routes('/workspaces/{workspace_id}', 'GET', 'PATCH', 'DELETE'),
    ...routes('/workspaces/{workspace_id}/jobs', 'GET', 'POST'),
    ...routes(job, 'GET', 'PATCH', 'DELETE'),
    ...routes(`${job}/files`, 'GET', 'POST'),
    ...routes(`${job}/files/{file_id}`, 'GET', 'DELETE'),
    ...routes(`${job}/files/{file_id}/content`, 'GET'),
    ...results('quality', 'quality_id'),
    ...results('quantity', 'quantity_id'),
    ...results('timelog', 'event_id'),
    ...results('load-port-information', 'id'),
    ...routes(catalog, 'GET', 'POST'),
    ...routes(`${catalog}/{id}`, 'GET', 'PATCH', 'DELETE'),
    ...routes(`${catalog}/{recordId}/synonyms`, 'GET'),
    ...routes(`${catalog}/{recordId}/synonyms/{synonymRecordId}`, 'GET', 'POST', 'DELETE'),
  ],
  notYet: [],
};

const collection = (name: string, one = `${name}/{clientCode}`): string[] => [
  ...routes(`/api/rest/1.0/${name}`, 'GET'),
  ...routes(`/api/rest/1.0/${one}`, 'GET'),
  ...routes(`/api/rest/1.0/${name}/{clientCode}`, 'PUT', 'DELETE'),
];

export const referenceRoutes: InterfaceRoutes = {
  built: [
    ...collection('ports'),
    ...collection('inland_facilities'),
    ...collection('grades'),
    ...collection('companies', 'companies/contact/{clientCode}'),
  ],
  notYet: [],
  added: [
    ...routes('/api/rest/1.0/companies/{clientCode}', 'GET'),
    ...routes('/api/rest/1.0/session', 'GET', 'POST', 'DELETE'),
  ],
};
