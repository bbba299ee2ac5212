import { printSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../rest-compat/endpoints.ts';
import type { OpenApi, OpenApiOperation } from '../../rest-compat/openapi/document.ts';
import { readSettings } from '../../src/config.ts';
import { serviceFixture } from '../service.ts';

const families = [...new Set(endpoints.map(({ family }) => family.name))];
const service = serviceFixture();

const documentAt = async (path: string): Promise<OpenApi> => (await service.ask('GET', path)).body;
const operationsOf = ({ paths }: OpenApi): OpenApiOperation[] => Object.values(paths).flatMap(Object.values);

/** The texts of all descriptions in a document. */
const descriptionsIn = (part: unknown): string[] =>
  typeof part !== 'object' || part === null
    ? []
    : Object.entries(part).flatMap(([name, value]) =>
        name === 'description' && typeof value === 'string' ? [value] : descriptionsIn(value),
      );

it('descriptions cite no documents or settings of the service', async () => {
  const { gateway } = service;
  const texts = [...descriptionsIn(await documentAt('/openapi.json')), printSchema(gateway.schema)];
  const names = texts.flatMap((text) => text.match(/\b[A-Z]{2,}_[A-Z_]+\b/g) ?? []);
  const settings = new Set(readSettings({ ENVIRONMENT: 'demo' }).settings.map(({ name }) => name));
  expect(texts.filter((text) => /§|\(interface|docs\/\w+\.md/.test(text))).toEqual([]);
  expect(names.filter((name) => settings.has(name))).toEqual([]);
});

describe.each(['/openapi.json', ...families.map((name) => `/openapi/${name}.json`)])('%s', (path) => {
  it('has human-readable tags, one noun each', async () => {
    const document = await documentAt(path);
    const tags = document.tags.map(({ name }) => name);
    const isWhole = path === '/openapi.json';
    for (const name of tags) expect(name).toMatch(isWhole ? /^[A-Z][a-z ]+ \(.+\)$/ : /^[A-Z][a-z ]+$/);
    expect(new Set(tags).size).toBe(tags.length);
    for (const { tags: own } of operationsOf(document)) expect(tags).toEqual(expect.arrayContaining(own ?? ['none']));
  });

  it('has an example of every error', async () => {
    const document = await documentAt(path);
    for (const { operationId, responses } of operationsOf(document)) {
      for (const [status, { content }] of Object.entries(responses)) {
        const problem = content?.['application/problem+json'];
        if (problem === undefined) continue;
        const name = String(problem.schema.$ref).split('/').at(-1) ?? '';
        const { allOf } = document.components.schemas?.[name] ?? {};
        const [, { properties }] = allOf as [object, { properties: { code: { enum: string[] } } }];
        for (const code of properties.code.enum) {
          expect([operationId, problem.examples?.[code]]).toEqual([
            operationId,
            { $ref: `#/components/examples/${code}` },
          ]);
          const value = { code, status: Number(status), requestId: expect.any(String) };
          expect(document.components.examples?.[code]).toMatchObject({ value });
        }
      }
    }
  });

  it('names the GraphQL field behind each operation', async () => {
    const { schema } = service.gateway;
    const fields = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() };
    const named = operationsOf(await documentAt(path)).map(({ operationId, description = '' }) => {
      const [, field = ''] = /GraphQL: `(\w+)`\.$/.exec(description) ?? [];
      return [operationId, Object.hasOwn(fields, field)];
    });
    expect(named.filter(([, isThere]) => !isThere)).toEqual([]);
  });

  it('has links to its own operations, with parameters these have', async () => {
    const document = await documentAt(path);
    const operations = new Map(operationsOf(document).map((operation) => [operation.operationId, operation]));
    let count = 0;
    for (const { responses } of operations.values()) {
      for (const link of Object.values(responses[201]?.links ?? {})) {
        if ('$ref' in link) throw new Error('a link elsewhere');
        const to = operations.get(link.operationId ?? '');
        const names = to?.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
        expect(Object.keys(link.parameters ?? {}).sort()).toEqual(names?.toSorted());
        count += 1;
      }
    }
    if (/legacy|v2|openapi\.json/.test(path)) expect(count).toBeGreaterThan(5);
  });
});

it.each(families)('starts the document of %s with the first five minutes', async (name) => {
  const { info } = await documentAt(`/openapi/${name}.json`);
  for (const part of ['## The first five minutes', 'Authorization: Bearer', '`code`', 'Idempotency-Key']) {
    expect(info.description).toContain(part);
  }
});

it('links a creation to the entity it made', async () => {
  const { paths } = await documentAt('/openapi/v2.json');
  const links = paths['/v2/workspaces/{workspace_id}/documents']?.post?.responses[201]?.links;
  expect(links?.['v2.documents.get']).toMatchObject({
    operationId: 'v2.documents.get',
    parameters: { workspace_id: '$request.path.workspace_id', document_id: '$response.body#/id' },
  });
});
