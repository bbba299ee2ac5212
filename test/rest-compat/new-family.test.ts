import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../rest-compat/endpoints.ts';
import { openApiDocuments } from '../../rest-compat/openapi/document.ts';
import { restHandler } from '../../rest-compat/serve/router.ts';
import { serviceFixture } from '../service.ts';
import { listen } from './pipeline/fake-service.ts';
import { companies } from './toy-family.ts';

/** A family made by the recipe in CONTRIBUTING.md, on the real service. */
describe('a new family', () => {
  const service = serviceFixture();
  let server: Awaited<ReturnType<typeof listen>>;
  beforeAll(async () => {
    const options = { log: pino({ level: 'silent' }), maxBodyBytes: 1_000_000 };
    const handler = restHandler([...endpoints, ...companies], service.gateway, options);
    server = await listen((request, response) => handler(request, response, () => response.writeHead(404).end()));
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  const ask = (method: string, path: string, body?: unknown, key = 'demo-client-key') =>
    fetch(`${server.url}/toy/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  it('is the one in CONTRIBUTING.md', () => {
    const recipe = readFileSync(join(import.meta.dirname, '..', '..', 'CONTRIBUTING.md'), 'utf8');
    expect(recipe).toContain('`test/rest-compat/toy-family.ts`');
  });

  it('creates, reads and lists in its own form the same entities as other families', async () => {
    const created = await ask('POST', '/companies', { company: { name: 'Toy Surveyors', category: 'inspector' } });
    expect(created.status).toBe(201);
    const made = (await created.json()) as { code: string; since: string; details: object };
    expect(made).toEqual({
      code: expect.any(String),
      since: expect.any(String),
      details: { name: 'Toy Surveyors', category: 'inspector', audience: expect.any(String) },
    });
    const read = await ask('GET', `/companies/${made.code}`);
    expect(await read.json()).toEqual(made);
    expect(read.headers.get('etag')).toMatch(/^".+"$/);
    const listed = await ask('GET', '/companies?name=Toy%20Surveyors');
    expect(await listed.json()).toEqual([made]);
    const elsewhere = await service.ask('GET', `/v2/organizations/${made.code}`, { as: 'client' });
    expect(elsewhere.body.body.name).toBe('Toy Surveyors');
  });

  it('has every check of the others', async () => {
    expect((await ask('GET', '/companies', undefined, 'nobody')).status).toBe(401);
    expect((await ask('POST', '/companies', { company: { name: 'A' } }, 'demo-readonly-key')).status).toBe(403);
    expect((await ask('DELETE', '/companies')).status).toBe(405);
    expect((await ask('GET', '/companies?limit=0')).status).toBe(400);
    expect((await ask('GET', '/companies/zz')).status).toBe(404);
    const refused = await ask('POST', '/companies', { company: { name: 7 } });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      errors: expect.arrayContaining([{ path: '/company/name', message: expect.any(String) }]),
    });
  });

  it('is documented, in its own document', () => {
    const documents = openApiDocuments([...endpoints, ...companies], service.gateway, { baseUrl: '', version: '1' });
    const document = documents.get('/openapi/toy.json')?.make();
    expect(document?.info.title).toBe('Toy API');
    expect(Object.keys(document?.paths ?? {})).toEqual(['/toy/v1/companies', '/toy/v1/companies/{code}']);
    expect(document?.paths['/toy/v1/companies']?.post).toMatchObject({
      operationId: 'toy.companies.create',
      requestBody: { content: { 'application/json': { schema: { required: ['company'] } } } },
    });
  });
});
