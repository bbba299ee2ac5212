import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { page, pageArguments, pageSources, pageVariables } from '../declare/list-operation.ts';
import { list, one, upsert } from '../declare/reply.ts';
import { fromIfMatch, fromPath, fromPathOfA, fromQueryAsFilters } from '../declare/source.ts';
import { pairArguments, pairVariables } from '../declare/synonym-pair.ts';
import { v2 } from './family.ts';
import { envelope, envelopeFields } from './views.ts';

const workspace = fromPath('workspace_id');
const catalog = fromPath('xtype', 'The catalog of both records.');
const record = fromPathOfA('catalog record', 'xref_id', 'One of the two records.');
const synonym = fromPathOfA('catalog record', 'linked_item_id', 'The other record; the order makes no difference.');

/** The links between records that describe the same item: of a workspace, of a record, and single ones. */
export const synonyms: readonly Endpoint[] = [
  endpoint(v2, {
    id: 'v2.synonyms.list',
    route: 'GET /workspaces/{workspace_id}/synonyms',
    summary: 'Lists the synonyms of a workspace.',
    operation: `query V2SynonymsList($workspace: UUID!, $catalogs: [String!], ${pageVariables}) {
      synonyms(workspace: $workspace, catalogs: $catalogs, ${pageArguments}) { ${page(envelopeFields)} }
    }`,
    variables: {
      workspace,
      catalogs: fromQueryAsFilters('xtype', 'Only those of this catalog; repeated, of any of them.'),
      ...pageSources(),
    },
    reply: list(envelope, 'Synonym'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(v2, {
    id: 'v2.synonyms.listOfRecord',
    route: 'GET /workspaces/{workspace_id}/xrefs/{xtype}/{xref_id}/synonyms',
    summary: 'Lists the synonyms of an external reference.',
    operation: `query V2SynonymsListOfRecord($workspace: UUID!, $catalog: String!, $record: UUID!, ${pageVariables}) {
      synonyms(workspace: $workspace, catalog: $catalog, record: $record, ${pageArguments}) { ${page(envelopeFields)} }
    }`,
    variables: { workspace, catalog, record, ...pageSources() },
    reply: list(envelope, 'Synonym'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(v2, {
    id: 'v2.synonyms.link',
    route: 'POST /workspaces/{workspace_id}/xrefs/{xtype}/{xref_id}/synonyms/{linked_item_id}',
    summary: 'Links two external references as synonyms. 200 if the link already exists, in either direction.',
    operation: `mutation V2SynonymsLink(${pairVariables}) {
      linkSynonyms(${pairArguments}) { created synonym { ${envelopeFields} } }
    }`,
    variables: { workspace, catalog, record, synonym },
    reply: upsert({
      view: envelope,
      body: 'Synonym',
      entity: 'synonym',
      created: 'created',
      readInCollection: true,
    }),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT'],
  }),
  endpoint(v2, {
    id: 'v2.synonyms.unlink',
    route: 'DELETE /workspaces/{workspace_id}/xrefs/{xtype}/{xref_id}/synonyms/{linked_item_id}',
    summary: 'Removes the link between two external references and returns its last version.',
    operation: `mutation V2SynonymsUnlink(${pairVariables}, $expectedVersion: [String!]) {
      unlinkSynonyms(${pairArguments}, expectedVersion: $expectedVersion) { ${envelopeFields} }
    }`,
    variables: { workspace, catalog, record, synonym, expectedVersion: fromIfMatch },
    reply: one(envelope, 'Synonym'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'PRECONDITION_FAILED'],
  }),
];
