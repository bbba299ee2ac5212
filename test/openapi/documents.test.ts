import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../rest-compat/endpoints.ts';
import type { OpenApi } from '../../rest-compat/openapi/document.ts';
import { EVENT_TYPES } from '../../src/model/webhooks/webhook-events.ts';
import { serviceFixture } from '../service.ts';

const families = [...new Set(endpoints.map(({ family }) => family))];
const PATHS = ['/openapi.json', ...families.map(({ name }) => `/openapi/${name}.json`)];

const service = serviceFixture();
let documents: ReadonlyMap<string, OpenApi>;

beforeAll(async () => {
  const read = async (path: string) => [path, (await service.ask('GET', path)).body as OpenApi] as const;
  documents = new Map(await Promise.all(PATHS.map(read)));
});

const documentAt = (path: string): OpenApi => {
  const found = documents.get(path);
  if (!found) throw new Error(`There is no document at ${path}.`);
  return found;
};

const operationIds = ({ paths }: OpenApi): unknown[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));

describe('the OpenAPI documents', () => {
  it('can be cached, and revalidated by ETag', async () => {
    const { headers } = await service.ask('GET', '/openapi.json');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    const known = { 'If-None-Match': headers.get('etag') ?? '', 'Cache-Control': 'max-age=0' };
    const again = await service.ask('GET', '/openapi.json', { headers: known });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await service.ask('GET', '/openapi/nothing.json')).status).toBe(404);
  });

  it.each(PATHS)('%s is OpenAPI 3.1 according to another library', async (path) => {
    const validator = new Validator();
    const verdict = await validator.validate({ ...documentAt(path) });
    expect([verdict.valid, verdict.errors, validator.version]).toEqual([true, undefined, '3.1']);
  });

  it.each(PATHS)('%s references every component it contains, and no other', (path) => {
    const document = documentAt(path);
    const { securitySchemes, ...components } = document.components;
    const held = Object.entries(components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `${kind}/${name}`),
    );
    const referred = [...JSON.stringify(document).matchAll(/"#\/components\/([^"]+)"/g)].map(([, place]) => place);
    expect(held.sort()).toEqual([...new Set(referred)].sort());
    expect(securitySchemes).toHaveProperty('bearer');
  });

  it('cover the whole table, with one document per family', () => {
    expect(operationIds(documentAt('/openapi.json')).sort()).toEqual(endpoints.map(({ id }) => id).sort());
    for (const family of families) {
      const rows = endpoints.filter((endpoint) => endpoint.family === family);
      const document = documentAt(`/openapi/${family.name}.json`);
      expect(operationIds(document).sort()).toEqual(rows.map(({ id }) => id).sort());
      expect(document.info.title).toBe(family.title);
    }
  });

  it('have the message of every webhook event type, each with an example that fits its schema', () => {
    const { webhooks = {} } = documentAt('/openapi.json');
    expect(Object.keys(webhooks)).toEqual(EVENT_TYPES);
    expect(documentAt('/openapi/v2.json').webhooks).toEqual(webhooks);
    expect(PATHS.filter((path) => documentAt(path).webhooks)).toEqual(['/openapi.json', '/openapi/v2.json']);
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    for (const [type, { post }] of Object.entries(webhooks)) {
      const { schema, examples = {} } = post.requestBody.content['application/json'] ?? expect.fail(type);
      const fits = ajv.compile(schema);
      for (const example of Object.values(examples)) {
        const value = 'value' in example ? example.value : expect.fail(type);
        expect([type, fits(value), fits.errors]).toEqual([type, true, null]);
      }
      expect(fits({ type: 'another', timestamp: '2026-05-01T08:00:00Z', data: {} })).toBe(false);
    }
  });

  it('say which body members a webhook message has', () => {
    const { post } = documentAt('/openapi/v2.json').webhooks?.['job.created'] ?? expect.fail();
    expect(post.requestBody.content['application/json']?.schema).toHaveProperty(
      'properties.data.properties.references.description',
      'Members of the body by which it is recognized, as far as it has them; one whose JSON has more than 1,000 bytes is left out.',
    );
  });

  it('say in English what a webhook message is about', () => {
    const { webhooks = {} } = documentAt('/openapi/v2.json');
    expect(
      ['job', 'quality_result', 'time_log', 'load_port_information', 'specification', 'attachment'].map(
        (noun) => webhooks[`${noun}.created`]?.post.summary,
      ),
    ).toEqual([
      'A job was created.',
      'A quality result was created.',
      'An event of the time log was created.',
      'Load port information was created.',
      'A specification was created.',
      'An attachment was created.',
    ]);
  });

  it('link from the whole to each family, and back', () => {
    const described = (path: string) => String(documentAt(path).info.description);
    for (const path of PATHS.slice(1)) {
      expect(described('/openapi.json')).toContain(`http://127.0.0.1:4000${path})`);
      expect(described(path)).toContain('http://127.0.0.1:4000/openapi.json)');
    }
  });

  it('list the headers and codes of each answer', () => {
    const { paths, components } = documentAt('/openapi/v2.json');
    const { post } = paths['/v2/organizations'] ?? {};
    const answers = post?.responses as Readonly<Record<string, { headers: object; content: object }>>;
    const headersOf = (status: number) => Object.keys(answers[status]?.headers ?? {});
    const limit = ['RateLimit', 'RateLimit-Policy'];
    expect(headersOf(201)).toEqual(['X-Request-Id', 'ETag', 'Location', 'Idempotency-Replayed', ...limit]);
    expect(headersOf(401)).toEqual(['X-Request-Id', 'WWW-Authenticate']);
    expect(headersOf(408)).toEqual(['X-Request-Id', ...limit]);
    expect(headersOf(429)).toEqual(['X-Request-Id', 'Retry-After', ...limit]);
    expect(headersOf(409)).toEqual(['X-Request-Id', 'Retry-After', 'Idempotency-Replayed', ...limit]);
    expect(headersOf(503)).toEqual(['X-Request-Id', 'Retry-After', ...limit]);
    expect(answers[409]?.headers).toHaveProperty('Retry-After.required', false);
    const name = 'IdempotencyInProgressOrNameTakenProblem';
    expect(answers[409]?.content).toHaveProperty(['application/problem+json', 'schema'], {
      $ref: `#/components/schemas/${name}`,
    });
    expect(components.schemas?.[name]).toEqual({
      allOf: [
        { $ref: '#/components/schemas/Problem' },
        { properties: { code: { enum: ['IDEMPOTENCY_IN_PROGRESS', 'NAME_TAKEN'] } } },
      ],
    });
  });

  it('list conditions of a GET only if its answer has an ETag', () => {
    const { paths } = documentAt('/openapi.json');
    const reads = Object.values(paths).flatMap(({ get }) => get ?? []);
    const isTagged = ({ responses }: (typeof reads)[number]) =>
      'ETag' in ((responses as Readonly<Record<string, { headers?: object }>>)[200]?.headers ?? {});
    for (const name of ['If-Match', 'If-None-Match']) {
      const named = reads.filter(({ parameters }) => parameters?.some((parameter) => parameter.name === name));
      expect(named.map(({ operationId }) => operationId)).toEqual(
        reads.filter(isTagged).map((read) => read.operationId),
      );
    }
    expect(reads.filter(isTagged).length).toBeGreaterThan(20);
    for (const read of reads)
      expect([read.operationId, '412' in read.responses]).toEqual([read.operationId, isTagged(read)]);
  });

  it('say what a request may ask of whole lists, and how long its texts may be', () => {
    const { paths, components } = documentAt('/openapi.json');
    const parameter = (path: string, name: string) =>
      paths[path]?.get?.parameters?.find((one) => one.name === name) as { schema: object } | undefined;
    for (const path of ['/v2/webhooks', '/v2/schemas', '/v2/organizations'])
      expect([path, parameter(path, 'Prefer')?.schema]).toEqual([path, { type: 'string' }]);
    expect(
      paths['/v2/workspaces/{workspace_id}/documents/bulk']?.post?.parameters?.map(({ name }) => name),
    ).not.toContain('Prefer');
    expect(parameter('/api/rest/1.0/ports/{clientCode}', 'clientCode')?.schema).toEqual({
      type: 'string',
      minLength: 1,
      maxLength: 100,
    });
    expect(paths['/api/rest/1.0/session']?.post?.requestBody).toHaveProperty(
      ['content', 'application/json', 'schema', 'properties'],
      {
        username: { type: 'string', minLength: 1, maxLength: 200 },
        password: { type: 'string', minLength: 1, maxLength: 1_000 },
      },
    );
    expect(components).toHaveProperty('schemas.WebhookBody.properties.description.maxLength', 1_000);
    expect(components).toHaveProperty(
      'schemas.WebhookPatch.properties.signature.description',
      expect.stringMatching(/^Cannot be changed/),
    );
  });

  it('list If-None-Match where a change takes `*`, and where a PUT may create', () => {
    const { paths } = documentAt('/openapi.json');
    const writes = Object.values(paths).flatMap(({ put, patch, delete: remove }) =>
      [put ?? [], patch ?? [], remove ?? []].flat(),
    );
    const naming = (name: string) =>
      writes
        .filter(({ parameters }) => parameters?.some((parameter) => parameter.name === name))
        .map((one) => one.operationId);
    expect(naming('If-None-Match')).toEqual(naming('If-Match'));
    expect(naming('If-Match').length).toBeGreaterThan(20);
  });

  it.each(PATHS)('%s has no schema of several types beside null, which code generators do not support', (path) => {
    const several: unknown[] = [];
    JSON.stringify(documentAt(path), (name, value) => {
      if (name === 'type' && Array.isArray(value) && value.filter((type) => type !== 'null').length > 1)
        several.push(value);
      return value;
    });
    expect(several).toEqual([]);
  });

  it('specify every body, synonyms and datetimes included', () => {
    const { schemas } = documentAt('/openapi.json').components;
    expect(schemas?.Synonym).toMatchObject({
      properties: { baseItem: { format: 'uuid' }, linkedItem: { format: 'uuid' } },
      required: ['workspace', 'baseItem', 'linkedItem'],
    });
    const formats = [{ format: 'date-time' }, { format: 'date' }, { type: 'null' }];
    expect(schemas?.JobBody).toMatchObject({ properties: { eta: { anyOf: formats } } });
    expect(JSON.stringify(schemas)).not.toContain('"format":"datetime"');
  });

  it("list every filter of a list, by its field's type", () => {
    const { schemas } = documentAt('/openapi.json').components;
    const absent = { enum: ['null', null] };
    const time = [{ format: 'date-time' }, { format: 'date' }, absent];
    const { parameters } = documentAt('/openapi/legacy.json').paths['/workspaces/{workspace_id}/jobs']?.get ?? {};
    const schemaOf = (field: string) => parameters?.find(({ name }) => name === field);
    const manyOf = (items: object) => ({ in: 'query', explode: true, schema: { type: 'array', items } });
    expect(schemaOf('refNumber')).toMatchObject(manyOf({ type: 'string' }));
    expect(schemaOf('cargo.quantity')).toMatchObject(manyOf({ anyOf: [{ type: 'number' }, absent] }));
    expect(schemaOf('location.xref')).toMatchObject(manyOf({ type: 'string' }));
    expect(schemaOf('created_at')).toMatchObject(manyOf({ anyOf: time }));
    expect(schemaOf('body.refNumber')).toBeUndefined();
    expect(schemas?.WorkspaceFilter).toMatchObject({
      properties: { description: { type: 'string' }, 'body.description': { type: 'string' } },
      additionalProperties: false,
    });
    expect(schemas?.DocumentFilter).toEqual({ type: 'object', additionalProperties: { type: 'string' } });
  });

  it('state request limits: bulk length, delivery states, webhook members', () => {
    const { paths } = documentAt('/openapi/v2.json');
    const schemaOf = (path: string) => paths[path]?.post?.requestBody?.content?.['application/json']?.schema;
    const bulk = schemaOf('/v2/workspaces/{workspace_id}/documents/bulk');
    expect(bulk).toMatchObject({ properties: { body: { type: 'array', minItems: 1, maxItems: 10_000 } } });
    const { parameters } = paths['/v2/webhooks/{webhook_id}/deliveries']?.get ?? {};
    expect(parameters).toContainEqual(
      expect.objectContaining({ name: 'status', schema: { type: 'string', enum: ['pending', 'delivered', 'failed'] } }),
    );
    const ajv = new Ajv2020({ strict: false, schemas: [{ $id: 'v2', ...documentAt('/openapi/v2.json') }] });
    formats.default(ajv);
    const place = 'v2#/paths/~1v2~1webhooks/post/requestBody/content/application~1json/schema';
    const fits = ajv.getSchema(place) ?? expect.fail(place);
    const url = 'https://example.com/hook';
    expect(
      [{ url }, { body: { url } }, { url, uri: url }, { body: { url, uri: url } }, {}].map((body) => fits(body)),
    ).toEqual([true, true, false, false, false]);
    const change = 'v2#/paths/~1v2~1webhooks~1{webhook_id}/patch/requestBody/content/application~1json/schema';
    const fitsChange = ajv.getSchema(change.replace(/[{}]/g, encodeURIComponent)) ?? expect.fail(change);
    const previous_version_id = null;
    expect(
      [
        { url, previous_version_id },
        { body: { url }, previous_version_id },
        { url, uri: url, previous_version_id },
        { body: { url }, enabled: true },
        { body: { url, previous_version_id } },
      ].map((body) => fitsChange(body)),
    ).toEqual([true, true, false, false, false]);
  });

  it('say that a document of any type has members, which code generators would otherwise omit', () => {
    const { schemas } = documentAt('/openapi/v2.json').components;
    const open = { type: 'object', additionalProperties: true };
    for (const name of ['Document', 'DocumentBody', 'DocumentPatch']) expect(schemas?.[name]).toMatchObject(open);
  });

  it('name answer schemas, so that generated clients have a type for each', () => {
    const { schemas } = documentAt('/openapi.json').components;
    expect(schemas?.OrganizationEnvelope).toMatchObject({
      properties: { body: { $ref: '#/components/schemas/Organization' } },
    });
    expect(schemas?.JobItem).toMatchObject({ properties: { body: { $ref: '#/components/schemas/Job' } } });
    expect(schemas?.DataApiJobBody).toMatchObject({
      anyOf: ['JobOfShapeAToCreateBody', 'JobOfShapeAToSubmitBody', 'JobOfShapeBBody'].map((name) => ({
        $ref: `#/components/schemas/${name}`,
      })),
    });
    expect(JSON.stringify(documentAt('/openapi.json'))).not.toContain('"x-name"');
  });
});
