import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { page, pageArguments, pageSources, pageVariables } from '../declare/list-operation.ts';
import { list, one, upsert } from '../declare/reply.ts';
import { fromIfMatch, fromPath, fromPathOfA } from '../declare/source.ts';
import { pairArguments, pairVariables } from '../declare/synonym-pair.ts';
import { catalog } from './catalogs.ts';
import { legacy } from './family.ts';
import { bodyFields, idAndBody, itemAlone, itemFields } from './views.ts';

const workspace = fromPath('workspace_id');
const record = fromPathOfA('catalog record', 'recordId', 'One of the two records.');
const synonym = fromPathOfA(
  'catalog record',
  'synonymRecordId',
  'The other record; the order makes no difference to the link.',
);

const each = '/workspaces/{workspace_id}/catalogs/{catalog}/{recordId}/synonyms/{synonymRecordId}';

/** The links between records that describe the same item, listed by one of the two records. */
export const synonyms: readonly Endpoint[] = [
  endpoint(legacy, {
    id: 'legacy.synonyms.list',
    route: 'GET /workspaces/{workspace_id}/catalogs/{catalog}/{recordId}/synonyms',
    summary: 'Lists the ids of the records that are synonyms of a catalog record.',
    operation: `query LegacySynonymsList($workspace: UUID!, $catalog: String!, $record: UUID!, ${pageVariables}) {
      synonyms(workspace: $workspace, catalog: $catalog, record: $record, ${pageArguments}) { ${page('otherId(than: $record)')} }
    }`,
    variables: { workspace, catalog, record, ...pageSources() },
    reply: list('otherId', 'Synonym'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(legacy, {
    id: 'legacy.synonyms.link',
    route: `POST ${each}`,
    summary: 'Links two records as synonyms. 200 if the link already exists, in either direction.',
    operation: `mutation LegacySynonymsLink(${pairVariables}) {
      linkSynonyms(${pairArguments}) { created synonym { ${bodyFields} } }
    }`,
    variables: { workspace, catalog, record, synonym },
    reply: upsert({ view: idAndBody, body: 'Synonym', entity: 'synonym', created: 'created' }),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT'],
  }),
  endpoint(legacy, {
    id: 'legacy.synonyms.get',
    route: `GET ${each}`,
    summary: 'Returns the body of the second record if it is a synonym of the first, otherwise 404.',
    operation: `query LegacySynonymsGet(${pairVariables}) { linkedRecord(${pairArguments}) { ${itemFields} } }`,
    variables: { workspace, catalog, record, synonym },
    reply: one(itemAlone, 'CatalogRecordBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND'],
  }),
  endpoint(legacy, {
    id: 'legacy.synonyms.unlink',
    route: `DELETE ${each}`,
    summary: 'Removes the link between two records and returns the body of the second one, which is not deleted.',
    operation: `mutation LegacySynonymsUnlink(${pairVariables}, $expectedVersion: [String!]) {
      unlinkRecord(${pairArguments}, expectedVersion: $expectedVersion) { ${itemFields} }
    }`,
    variables: { workspace, catalog, record, synonym, expectedVersion: fromIfMatch },
    reply: one(itemAlone, 'CatalogRecordBody'),
    errors: ['FORBIDDEN', 'NOT_FOUND', 'PRECONDITION_FAILED'],
  }),
];
