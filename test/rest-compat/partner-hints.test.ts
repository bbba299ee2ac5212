import { v7 as newId } from 'uuid';
import { describe, expect, it } from 'vitest';
import { type Caller, serviceFixture, workspaceFixture } from '../service.ts';
import { submitted } from './data-api/bodies.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const ask = (method: string, path: string, body?: unknown, as: Caller = 'client') =>
  service.ask(method, path, { as, ...(body !== undefined && { body }) });
const DATA = '/bridge/v1/data/jobs';

describe("a filter in another API's form", () => {
  it("gets a hint of this API's form", async () => {
    const legacy = await ask('GET', `/workspaces/${workspace.id}/jobs?filter[status]=active`);
    expect(legacy.body.errors).toEqual([
      { parameter: 'filter[status]', message: 'is the form of v2: this API writes status=value.' },
    ]);
    const v2 = await ask('GET', '/v2/workspaces?description=x');
    expect([v2.status, v2.body.errors[0].message]).toEqual([400, expect.stringContaining('filter[description]=value')]);
  });

  it.each([
    ['/v2/workspaces', 'description', 'page'],
    ['/v2/workspaces/W/documents', 'body.location.name', 'pagesize'],
    ['/v2/workspaces/W/documents', 'testDate', 'per_page'],
    ['/v2/organizations', 'body.name', 'status'],
  ])('of %s is suggested for %s, but not for %s, which is no field', async (path, field, other) => {
    const answer = await ask('GET', `${path.replace('W', workspace.id)}?${field}=1&${other}=1`);
    const { errors } = answer.body as { readonly errors: readonly { parameter: string; message: string }[] };
    const messageOf = (name: string) => errors.find(({ parameter }) => parameter === name)?.message;
    expect(messageOf(field)).toMatch(`A filter is written filter[${field}]=value.`);
    expect(messageOf(other)).toMatch(/^is not a parameter of this path\. Allowed: .*filter\[<field>\]\.$/);
  });
});

describe('a refused media type', () => {
  it.each([
    ['POST', '/v2/organizations', 'accept-post', 'application/json'],
    ['PATCH', '/v2/organizations/O', 'accept-patch', 'application/merge-patch+json, application/json'],
    ['PUT', '/api/rest/1.0/ports/P', 'accept', 'application/json'],
    ['PUT', '/api/rest/1.0/grades/G', 'accept', 'application/json, application/x-www-form-urlencoded'],
    ['POST', `/v2/workspaces/W/documents/${newId()}/attachments`, 'accept-post', 'multipart/form-data'],
  ])('%s %s lists the accepted types', async (method, path, header, types) => {
    const at = path.replace('O', workspace.client).replace('W', workspace.id);
    const headers = { 'Content-Type': 'text/plain' };
    const answer = await service.ask(method, at, { as: 'client', body: 'x', headers });
    expect([answer.status, answer.headers.get(header)]).toEqual([415, types]);
    const zipped = { 'Content-Encoding': 'gzip', 'Content-Type': types.split(', ')[0] ?? '' };
    const refused = await service.ask(method, at, { as: 'client', body: 'x', headers: zipped });
    expect([refused.status, refused.headers.get('accept-encoding')]).toEqual([415, 'identity']);
  });

  it('for a JSON Patch points to the merge patch', async () => {
    const headers = { 'Content-Type': 'application/json-patch+json' };
    const at = `/v2/organizations/${workspace.client}`;
    const answer = await service.ask('PATCH', at, { as: 'client', body: [], headers });
    expect([answer.status, answer.body.detail]).toEqual([415, expect.stringContaining('JSON Merge Patch')]);
  });
});

describe('a job of the Data API', () => {
  it('in Shape A that would fit the create form gets a hint of retain', async () => {
    const { tripNumber: _trip, ...body } = submitted(workspace);
    const posted = await ask('POST', DATA, body);
    expect(posted.body.errors).toEqual([{ path: '/tripNumber', message: 'is required.' }]);
    expect(posted.body.detail).toContain('`retain`');
    expect((await ask('PUT', DATA, body)).body.detail).not.toContain('`retain`');
    expect((await ask('POST', DATA, { ...body, retain: false })).status).toBe(201);
  });

  it('in Shape B has the members of Shape A, with their types', async () => {
    const answer = await ask('POST', DATA, { notes: 'n', inspectors: 'x', retain: 'y', sampleDate: 'nope' });
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
      '/inspectors',
      '/retain',
      '/sampleDate',
    ]);
    const right = { region: 'ARA', retain: null, inspectors: [{ role: 'lead', inspector: 'I' }] };
    expect((await ask('POST', DATA, right)).body.body).toEqual(right);
  });

  it('is stored in whichever of several workspaces it names', async () => {
    const parties = { client: { id: workspace.client }, vendor: { id: workspace.vendor } };
    const second = (await ask('POST', '/v2/workspaces', { parties })).body.id;
    const named = { client: { name: workspace.names.client }, vendor: { name: workspace.names.vendor } };
    const none = await ask('POST', DATA, named);
    expect([none.status, none.headers.get('x-job-placement')]).toEqual([201, 'none; 2 workspaces match']);
    for (const id of [workspace.id, second]) {
      const placed = await ask('POST', DATA, { ...named, workspace: id.toUpperCase() });
      expect([placed.status, placed.body.meta, placed.headers.has('x-job-placement')]).toEqual([
        201,
        { workspace: id },
        false,
      ]);
    }
    const other = (await ask('GET', '/v2/workspaces?limit=100', undefined, 'vendor')).body;
    expect(other.map(({ id }: { id: string }) => id)).toContain(second);
    const refused = await ask('POST', DATA, { ...named, workspace: newId() });
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, '/workspace']);
    await ask('DELETE', `/workspaces/${second}/jobs/${(await ask('GET', `/workspaces/${second}/jobs`)).body[0].id}`);
    expect((await ask('DELETE', `/workspaces/${second}`)).status).toBe(200);
  });
});

describe('a date alone', () => {
  it('as dateModifiedTo covers the whole day, in REST and GraphQL', async () => {
    const put = await ask('PUT', '/api/rest/1.0/ports/DAY', { name: 'Of today' });
    const day = put.body.dateModified.slice(0, 10);
    const found = async (query: string) =>
      (await ask('GET', `/api/rest/1.0/ports?${query}`)).body.results.map(
        ({ clientCode }: { clientCode: string }) => clientCode,
      );
    expect(await found(`dateModifiedFrom=${day}&dateModifiedTo=${day}`)).toEqual(['DAY']);
    const before = new Date(Date.parse(day) - 1).toISOString();
    expect(await found(`dateModifiedTo=${before.slice(0, 10)}`)).toEqual([]);
    expect(await found(`dateModifiedTo=${day}T00:00:00Z`)).toEqual([]);
    const query = 'query($to: DateTime) { ports(dateModifiedTo: $to) { nodes { clientCode } } }';
    expect((await service.graphql(query, { to: day })).body.data.ports.nodes).toEqual([{ clientCode: 'DAY' }]);
  });
});

describe('refusal messages', () => {
  it('name what an id identifies', async () => {
    const job = (await ask('POST', `/workspaces/${workspace.id}/jobs`, {})).body.id;
    const detail = async (path: string) => (await ask('GET', `/workspaces/${workspace.id}/${path}`)).body.detail;
    const quality = 'There is no quality result with the id zz.';
    expect(await detail(`jobs/${job}/quality/zz`)).toBe(quality);
    expect(await detail(`jobs/${job}/timelog/zz`)).toBe('There is no time log event with the id zz.');
    expect(await detail(`jobs/${job}/load-port-information/zz`)).toContain('load port information');
    expect(await detail('catalogs/products/zz')).toBe('There is no catalog record with the id zz.');
    expect(await detail('catalogs/nothing')).toMatch(/^There is no catalog "nothing". There are clients, /);
  });

  it('say that null is allowed too', async () => {
    const answer = await ask('POST', '/v2/organizations', { name: newId(), category: 'x' });
    expect(answer.body.errors[0].message).toBe('must be one of shipper, inspector, or null.');
  });
});

describe('a path outside REST', () => {
  it.each([
    ['DELETE', '/docs', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/graphql', 'GET, HEAD, POST, OPTIONS'],
    ['PUT', '/openapi.json', 'GET, HEAD, OPTIONS'],
    ['POST', '/', 'GET, HEAD, OPTIONS'],
  ])('refuses %s %s with Allow', async (method, path, allow) => {
    const response = await fetch(`${service.url}${path}`, { method, redirect: 'manual' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
  });
});

it('treats an empty Accept list as excluding nothing', async () => {
  for (const accept of [',', ' , ,']) {
    expect((await service.ask('GET', '/v2/organizations', { as: 'client', headers: { accept } })).status).toBe(200);
  }
});

it('refuses an empty list of types in the change feed', async () => {
  const answer = await ask('GET', '/v2/changes?types=');
  expect([answer.status, answer.body.errors[0].parameter]).toEqual([400, 'types']);
});
