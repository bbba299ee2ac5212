import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspace, startTestService, type TestService, type TestWorkspace } from '../service.ts';

let service: TestService;
let workspace: TestWorkspace;

beforeAll(async () => {
  service = await startTestService({ env: { BASE_URL: 'https://api.example.com/gw' } });
  workspace = await makeWorkspace(service);
});
afterAll(() => service.stop());

const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.ask(method, path, { as: 'client', headers, ...(body !== undefined && { body }) });

describe('Accept', () => {
  it.each([
    'application/json; charset=utf-8',
    'application/json;odata=verbose;q=0.5',
    'application/json; profile="a, b; q=0"',
    'text/html, application/json;version=1.0',
    'text/*;q=1, */*;q=0.1',
  ])('%s accepts JSON, ignoring parameters other than q', async (accept) => {
    expect((await ask('GET', '/v2/organizations?limit=1', undefined, { accept })).status).toBe(200);
  });

  it.each(['text/*', 'application/json;q=0', 'application/json;v=1;q=0', 'text/html;a="application/json"'])(
    '%s does not',
    async (accept) => {
      expect((await ask('GET', '/v2/organizations?limit=1', undefined, { accept })).status).toBe(406);
    },
  );
});

describe('a PUT of a reference record with If-None-Match', () => {
  const put = (code: string, match?: string) =>
    ask('PUT', `/api/rest/1.0/ports/${code}`, { name: 'A' }, match === undefined ? {} : { 'if-none-match': match });

  it('* creates a missing record, and never replaces an existing one', async () => {
    expect([(await put('NEW', '*')).status, (await put('NEW', '*')).status]).toEqual([201, 412]);
  });

  it('a tag replaces the record unless it is the current one', async () => {
    const made = await put('TAGGED');
    const tag = String(made.headers.get('etag'));
    expect([(await put('TAGGED', tag)).status, (await put('TAGGED', '"other"')).status]).toEqual([412, 200]);
  });

  it('* creates one record from two simultaneous requests', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => put('RACE', '*')));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 412, 412, 412, 412, 412]);
  });

  it('is unlessVersion in GraphQL', async () => {
    await put('GQL');
    const { body } = await service.graphql(
      'mutation { putPort(clientCode: "GQL", body: {name: "B"}, unlessVersion: ["*"]) { created } }',
    );
    expect(body.errors[0].extensions.code).toBe('PRECONDITION_FAILED');
  });
});

describe('Location', () => {
  const below = (location: string | null) => String(location).replace(/^\/gw/, '');

  it('starts with the path of BASE_URL', async () => {
    const made = await ask('POST', `/workspaces/${workspace.id}/jobs`, {});
    expect(made.headers.get('location')).toBe(`/gw/workspaces/${workspace.id}/jobs/${made.body.id}`);
  });

  it.each(['/workspaces/W/catalogs', '/v2/workspaces/W/xrefs'])('of a synonym can be read by GET: %s', async (base) => {
    const here = `${base.replace('W', workspace.id)}/products`;
    const [a, b] = [await ask('POST', here, { name: `A${base}` }), await ask('POST', here, { name: `B${base}` })];
    const made = await ask('POST', `${here}/${a.body.id}/synonyms/${b.body.id}`);
    expect(made.status).toBe(201);
    expect((await ask('GET', below(made.headers.get('location')))).status).toBe(200);
  });
});

describe('standing headers', () => {
  it.each([
    ['GET', '/v2/organizations', 'private, no-cache'],
    ['GET', '/v2/nothing', 'no-store'],
    ['PATCH', '/v2/organizations', 'no-store'],
    ['POST', '/v2/organizations', 'no-store'],
    ['GET', '/nowhere', 'no-store'],
    ['POST', '/graphql', 'no-store'],
  ])('are on every answer: %s %s', async (method, path, caching) => {
    const { headers } = await ask(method, path, method === 'GET' ? undefined : { query: '{ __typename }' });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(headers.get('cache-control')).toBe(caching);
    expect(headers.get('vary')).toContain('Accept-Encoding');
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
  });

  it('do not mention https when BASE_URL is http', async () => {
    await using plain = await startTestService();
    expect((await plain.ask('GET', '/v2/schemas')).headers.has('strict-transport-security')).toBe(false);
  });
});

describe('a compressed answer', () => {
  it('has its own tag, which conditions accept like the plain one', async () => {
    const made = await ask('POST', `/workspaces/${workspace.id}/jobs`, { notes: 'x'.repeat(5_000) });
    const path = `/workspaces/${workspace.id}/jobs/${made.body.id}`;
    const plain = String((await ask('GET', path, undefined, { 'accept-encoding': 'identity' })).headers.get('etag'));
    const answer = await ask('GET', path, undefined, { 'accept-encoding': 'gzip' });
    const tag = String(answer.headers.get('etag'));
    expect([answer.headers.get('content-encoding'), tag]).toEqual(['gzip', plain.replace(/"$/, '-gzip"')]);
    const again = await ask('GET', path, undefined, { 'if-none-match': tag, 'accept-encoding': 'gzip' });
    expect([again.status, again.headers.get('etag')]).toEqual([304, tag]);
    expect((await ask('PATCH', path, { notes: 'short' }, { 'if-match': tag })).status).toBe(200);
    expect((await ask('PATCH', path, { notes: 'again' }, { 'if-match': tag })).status).toBe(412);
  });

  it('has none, nor does a short one', async () => {
    const made = await ask('POST', `/workspaces/${workspace.id}/jobs`, {}, { 'accept-encoding': 'gzip' });
    expect(made.headers.get('etag')).toMatch(/^"[0-9a-f-]{36}"$/);
  });
});

it('a JSON Patch is 415: a PATCH takes a JSON Merge Patch', async () => {
  const headers = { 'Content-Type': 'application/json-patch+json' };
  const made = await ask('POST', `/workspaces/${workspace.id}/jobs`, {});
  const path = `/workspaces/${workspace.id}/jobs/${made.body.id}`;
  expect((await ask('PATCH', path, [], headers)).status).toBe(415);
  const merge = { 'Content-Type': 'application/merge-patch+json' };
  expect((await ask('PATCH', path, { notes: 'x' }, merge)).status).toBe(200);
});
