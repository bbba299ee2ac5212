import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { array, one } from '../declare/reply.ts';
import { fromPath } from '../declare/source.ts';
import type { ViewObject } from '../declare/view.ts';
import { v2 } from './family.ts';

const view: ViewObject = { id: 'id', type: 'type', schema: 'schema' };

/** /v2/schemas: the JSON Schemas that envelopes refer to (contract §5). */
export const schemas: readonly Endpoint[] = [
  endpoint(v2, {
    id: 'v2.schemas.list',
    route: 'GET /schemas',
    summary: 'Lists the JSON Schemas of all entity types.',
    operation: 'query V2SchemasList { schemas { id type schema } }',
    variables: {},
    reply: array(view),
    errors: [],
  }),
  endpoint(v2, {
    id: 'v2.schemas.get',
    route: 'GET /schemas/{schema_id}',
    summary: 'Returns an entity type and its JSON Schema, in the member schema, by the id that envelopes refer to.',
    operation: 'query V2SchemasGet($id: UUID!) { schema(id: $id) { versionId id type schema } }',
    variables: { id: fromPath('schema_id') },
    reply: one(view),
    errors: ['NOT_FOUND'],
  }),
];
