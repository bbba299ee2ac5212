import { describe, expect, it } from 'vitest';
import { dataApi } from '../../../rest-compat/data-api/family.ts';
import { endpoint } from '../../../rest-compat/declare/endpoint.ts';
import { page, pageArguments, pageSources, pageVariables } from '../../../rest-compat/declare/list-operation.ts';
import { list } from '../../../rest-compat/declare/reply.ts';
import { endpoints } from '../../../rest-compat/endpoints.ts';
import { toOpenApi } from '../../../rest-compat/openapi/document.ts';
import { restHandler } from '../../../rest-compat/serve/router.ts';
import { fakeGateway, fakeService, listen } from './fake-service.ts';

const PATH = '/bridge/v1/health';
const good = { transport: 'healthy', metadataStore: 'healthy', dataStore: 'healthy' };
const well = { health: () => ({ ...good, healthy: true }) };

describe('bridge.health.get — GET /bridge/v1/health', () => {
  it('answers 200 with exactly the three parts, without a credential', async () => {
    await using service = await fakeService(well);
    const answer = await service.ask('GET', PATH, { key: '' });
    expect([answer.status, await answer.json()]).toEqual([200, good]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('etag')).toBeNull();
  });

  it('accepts any credential and version, and both path forms', async () => {
    await using service = await fakeService(well);
    const headers = { authorization: 'Bearer nobody', 'accept-version': '7.0' };
    for (const path of [PATH, `${PATH}/`]) expect((await service.ask('GET', path, { headers })).status).toBe(200);
    expect((await service.ask('HEAD', PATH, { key: '' })).status).toBe(200);
  });

  it('answers 503 with the same report when a part is unhealthy', async () => {
    const report = { ...good, metadataStore: 'not writable' };
    await using service = await fakeService({ health: () => ({ ...report, healthy: false }) });
    const answer = await service.ask('GET', PATH, { key: '' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'application/json; charset=utf-8']);
    expect(await answer.json()).toEqual(report);
  });

  it('reports the transport when GraphQL itself fails, and logs why', async () => {
    await using service = await fakeService({
      health: () => {
        throw new Error('broken resolver');
      },
    });
    const answer = await service.ask('GET', PATH, { key: '' });
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { transport: 'not answering', metadataStore: 'unknown', dataStore: 'unknown' },
    ]);
    expect(service.lines.some(({ fields }) => String(fields.err).includes('broken resolver'))).toBe(true);
  });

  it('is documented with both answers in one form, and without a credential', () => {
    const service = { baseUrl: 'http://localhost:4000', version: '1.2.3', title: '', description: '' };
    const document = toOpenApi(endpoints, fakeGateway({}), service);
    expect(document.paths[PATH]?.get).toMatchObject({
      security: [],
      parameters: [],
      responses: { 200: content, 503: content },
    });
    expect(document.components.schemas?.HealthView).toMatchObject({
      required: ['transport', 'metadataStore', 'dataStore'],
    });
  });
});

const content = { content: { 'application/json': { schema: { $ref: '#/components/schemas/HealthView' } } } };

describe('Accept-Version in the Data API', async () => {
  const jobs = endpoint(dataApi, {
    id: 'bridge.test.list',
    route: 'GET /test',
    summary: 'For a test.',
    operation: `query T(${pageVariables}) { workspaces(${pageArguments}) { ${page('id versionId')} } }`,
    variables: pageSources(),
    reply: list('id'),
    errors: [],
  });
  const resolvers = { workspaces: () => ({ nodes: [], pageInfo: { hasNextPage: false } }) };
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const handler = restHandler([jobs], fakeGateway(resolvers), { log, maxBodyBytes: 1 });
  const ask = async (version: string | undefined) => {
    await using server = await listen((request, response) => handler(request, response, () => response.end()));
    const headers = { authorization: 'Bearer writer', ...(version !== undefined && { 'accept-version': version }) };
    return (await fetch(`${server.url}/bridge/v1/test`, { headers })).json();
  };

  it.each([undefined, '', '1.0'])('may be %j', async (version) => {
    expect(await ask(version)).toEqual([]);
  });

  it('is refused for any other', async () => {
    expect(await ask('2.0')).toMatchObject({ status: 400, code: 'UNSUPPORTED_VERSION' });
  });
});
