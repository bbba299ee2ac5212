import { describe, expect, it } from 'vitest';
import { endpoints } from '../../rest-compat/endpoints.ts';
import { openApiDocuments } from '../../rest-compat/openapi/document.ts';
import { fakeGateway } from './pipeline/fake-service.ts';

interface Described {
  readonly operationId: string;
  readonly parameters: readonly { name: string; in: string; required?: boolean; schema: object }[];
  readonly requestBody?: { content: { 'application/json': { schema: object } } };
  readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema: object }>> }>>;
}

const service = { baseUrl: 'http://localhost:4000', version: '1.2.3' };
const documents = openApiDocuments(endpoints, fakeGateway({}), service);
const document = documents.get('/openapi.json')?.make();
if (!document) throw new Error('there is no document');
const operation = (method: string, path: string) => document.paths[path]?.[method] as unknown as Described;
const parameter = (described: Described, name: string) => described.parameters.find((each) => each.name === name);

describe('the OpenAPI document', () => {
  it('describes every endpoint once', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).sort());
    expect([document.openapi, document.info.version]).toEqual(['3.1.1', '1.2.3']);
  });

  it('references only its own components', () => {
    const text = JSON.stringify(document);
    for (const [, place = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = place.split('/').reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], document);
      expect(found, place).toBeDefined();
    }
  });

  it('describes every path parameter', () => {
    for (const { method, path, parameters } of endpoints) {
      const described = operation(method.toLowerCase(), path).parameters.filter((each) => each.in === 'path');
      expect(described.map(({ name }) => name)).toEqual(parameters);
      expect(described.every(({ required }) => required === true)).toBe(true);
    }
  });

  it('takes types and required flags from the operations', () => {
    const list = operation('get', '/v2/workspaces/{workspace_id}/documents');
    expect(parameter(list, 'type')).toMatchObject({ in: 'query', required: true, schema: { type: 'string' } });
    expect(parameter(list, 'workspace_id')?.schema).toEqual({ type: 'string', format: 'uuid' });
    expect(parameter(list, 'limit')?.schema).toMatchObject({ minimum: 1, default: 25 });
    expect(parameter(list, 'filter')).toMatchObject({ style: 'deepObject' });
    expect(parameter(operation('get', '/workspaces'), 'limit')?.schema).not.toHaveProperty('default');
  });

  it('describes request bodies: bare, as a member, or both', () => {
    const body = (method: string, path: string) =>
      operation(method, path).requestBody?.content['application/json'].schema;
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    expect(body('post', '/workspaces')).toEqual(ref('WorkspaceBody'));
    expect(body('post', '/v2/workspaces')).toEqual({
      anyOf: [ref('WorkspaceBody'), { type: 'object', properties: { body: ref('WorkspaceBody') }, required: ['body'] }],
    });
    expect(body('post', '/v2/workspaces/{workspace_id}/documents')).toMatchObject({ required: ['type', 'body'] });
    expect(body('delete', '/workspaces/{workspace_id}')).toBeUndefined();
  });

  it('describes responses without the rules of requests', () => {
    const { schemas } = document.components as { schemas: Record<string, object> };
    expect(schemas.Job).toEqual({
      type: 'object',
      properties: { name: { type: 'string' }, status: { type: ['string', 'null'] } },
    });
    const answer = operation('get', '/v2/workspaces/{workspace_id}').responses['200'];
    expect(answer?.content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/WorkspaceEnvelope' });
    expect(schemas.WorkspaceEnvelope).toMatchObject({
      required: [
        'id',
        'version_id',
        'parent_id',
        'created_by',
        'created_at',
        'modified_by',
        'modified_at',
        'type',
        'body',
        'meta',
        'schema',
      ],
      properties: {
        parent_id: { type: ['string', 'null'], format: 'uuid' },
        body: { $ref: '#/components/schemas/Workspace' },
      },
    });
  });

  it("lists each endpoint's problems by status", () => {
    const { responses } = operation('patch', '/v2/workspaces/{workspace_id}');
    expect(Object.keys(responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '406',
      '408',
      '409',
      '412',
      '413',
      '415',
      '429',
      '500',
      '503',
    ]);
  });
});
