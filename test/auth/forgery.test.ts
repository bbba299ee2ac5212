import { request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { BOUNDARY, filePart, formOf } from '../rest-compat/form.ts';
import { serviceFixture, startTestService, workspaceFixture } from '../service.ts';
import { BY_SCRIPT, DEMO, SESSION, signIn, trySignIn } from './sign-in.ts';

const BASE_URL = 'https://api.example';
const CORS_ORIGINS = 'https://app.example';
let cookie: { readonly Cookie: string };

const service = serviceFixture({ env: { BASE_URL, CORS_ORIGINS, DEMO_PUBLIC: '1' } });
const workspace = workspaceFixture(service);

beforeAll(async () => {
  cookie = await signIn(service);
});

const jobs = () => `/workspaces/${workspace.id}/jobs`;
const forbidden = { status: 403, code: 'FORBIDDEN' };
const post = (headers: Readonly<Record<string, string>>, body: unknown = {}) =>
  service.ask('POST', jobs(), { body, headers: { ...cookie, ...headers } });
const count = async () => (await service.graphql('{ jobs { totalCount } }')).body.data.jobs.totalCount as number;

/** The status and body of a change with any Host header, which `fetch` cannot send. */
async function forward(headers: Readonly<Record<string, string>>) {
  const { statusCode, body } = await request(service.url + jobs(), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...cookie, ...headers },
    body: '{}',
  });
  return { statusCode, body: await body.text() };
}

describe('CORS', () => {
  it.each([
    [CORS_ORIGINS, CORS_ORIGINS],
    ['https://evil.example', null],
    ['https://app.example.evil.example', null],
    ['null', null],
  ])('for pages of %s', async (Origin, allowed) => {
    const preflight = { Origin, 'Access-Control-Request-Method': 'POST' };
    const read = await service.ask('GET', '/v2/schemas', { headers: { ...cookie, Origin } });
    const asked = await fetch(service.url + jobs(), { method: 'OPTIONS', headers: preflight });
    for (const { headers } of [read, asked]) expect(headers.get('access-control-allow-origin')).toBe(allowed);
  });
});

describe('a change with only the cookie', () => {
  it('passes with a JSON body, or with X-Requested-With of any value', async () => {
    expect((await post({})).status).toBe(201);
    expect((await post({ 'Content-Type': 'application/merge-patch+json' })).status).toBe(201);
    const created = await service.ask('POST', '/v2/organizations', {
      headers: cookie,
      body: { name: 'To be deleted' },
    });
    const path = `/v2/organizations/${created.body.id}`;
    const withoutHeader = await service.ask('DELETE', path, { headers: cookie });
    expect(withoutHeader.body).toMatchObject({ ...forbidden, detail: expect.stringContaining('X-Requested-With') });
    expect((await service.ask('GET', path, { headers: cookie })).status).toBe(200);
    for (const value of ['', 'XMLHttpRequest']) {
      const headers = { ...cookie, 'X-Requested-With': value };
      const { status } = await service.ask('DELETE', path, { headers });
      expect(status).toBe(value === '' ? 200 : 404);
    }
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/json',
    'x/application/json',
    'text/plain; application/json',
    'application/json, text/plain',
    'application/json-seq',
  ])('is 403 for anything a cross-site form can send: %s', async (type) => {
    const before = await count();
    const answer = await post({ 'Content-Type': type }, '{}');
    expect(answer.body).toMatchObject(forbidden);
    expect(await count()).toBe(before);
    expect((await post({ 'Content-Type': type, ...BY_SCRIPT }, '{}')).status).toBe(415);
  });

  it('needs X-Requested-With to upload a file', async () => {
    const { body: job } = await post({});
    const upload = (headers: object) =>
      service.ask('POST', `${jobs()}/${job.id}/files`, {
        headers: { ...cookie, 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
        body: formOf(filePart('a file')).toString('latin1'),
      });
    expect((await upload({})).body).toMatchObject(forbidden);
    expect((await upload(BY_SCRIPT)).status).toBe(201);
  });

  it.each([
    ['https://evil.example', 403],
    ['https://api.example.evil.example', 403],
    ['https://app.example:8443', 403],
    ['http://api.example', 403],
    ['null', 403],
    ['', 403],
    ['https://api.example', 201],
    ['https://app.example', 201],
  ])('from a page of %j is %i', async (Origin, status) => {
    const answer = await post({ Origin, ...BY_SCRIPT });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body.code).toBe('FORBIDDEN');
  });

  it("from another host's page is 403, even if the request names that host", async () => {
    for (const Host of ['evil.example', 'api.example:444']) {
      const foreign = await forward({ Host, Origin: `https://${Host}` });
      expect([foreign.statusCode, foreign.body]).toEqual([403, expect.stringContaining('FORBIDDEN')]);
    }
    expect((await forward({ Host: 'api.example', Origin: 'http://api.example' })).statusCode).toBe(403);
    expect((await forward({ Host: 'evil.example', Origin: 'https://api.example' })).statusCode).toBe(201);
    expect((await post({ Origin: service.url })).status).toBe(403);
  });

  it('from a page of the requested host passes if BASE_URL is not set', async () => {
    await using open = await startTestService({ database: service.stores.db.databaseName });
    const ask = (Origin: string) => trySignIn(open, DEMO, { Origin });
    expect((await ask(open.url)).status).toBe(201);
    expect((await ask(open.url.replace('http:', 'https:'))).status).toBe(201); // a proxy that says nothing may end TLS
    expect((await ask(open.url.replace(/\d+$/, '1'))).status).toBe(403);
  });

  it('is checked after the credential and before the query', async () => {
    const dead = { Cookie: `session=${'x'.repeat(43)}`, Origin: 'https://evil.example' };
    expect((await service.ask('POST', jobs(), { headers: dead, body: {} })).status).toBe(401);
    const headers = { ...cookie, Origin: 'https://evil.example' };
    expect((await service.ask('POST', `${jobs()}?colour=red`, { headers, body: {} })).status).toBe(403);
    expect((await service.ask('PUT', jobs(), { headers, body: {} })).status).toBe(405);
  });

  it('leaves reads, and changes with a key, open to any page', async () => {
    const Origin = 'https://evil.example';
    expect((await service.ask('GET', jobs(), { headers: { ...cookie, Origin } })).status).toBe(200);
    expect((await service.ask('POST', jobs(), { as: 'client', headers: { Origin }, body: {} })).status).toBe(201);
    const both = { ...cookie, Authorization: 'Bearer demo-client-key', Origin };
    expect((await service.ask('POST', jobs(), { headers: both, body: {} })).status).toBe(201);
  });
});

describe('GraphQL with only the cookie', () => {
  const mutation = () => `mutation { createJob(workspace: "${workspace.id}", body: {}) { id } }`;
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

  it('accepts JSON, and nothing a cross-site form can send', async () => {
    const before = await count();
    const json = await service.ask('POST', '/graphql', { headers: cookie, body: { query: mutation() } });
    expect(json.body.data.createJob.id).toBeTruthy();
    const body = `query=${encodeURIComponent(mutation())}`;
    for (const path of ['/graphql', `/graphql?${body}`]) {
      const forged = await service.ask('POST', path, { headers: { ...cookie, ...form }, body });
      expect([forged.status, forged.body.errors[0].extensions.code]).toEqual([403, 'FORBIDDEN']);
    }
    const foreign = { ...cookie, Origin: 'https://evil.example' };
    const refused = await service.ask('POST', '/graphql', { headers: foreign, body: { query: mutation() } });
    expect([refused.status, refused.body.errors[0].extensions.code]).toEqual([403, 'FORBIDDEN']);
    expect(await count()).toBe(before + 1);
  });

  it('never changes anything by GET, not even as events', async () => {
    const before = await count();
    for (const Accept of ['application/json', 'text/event-stream', '*/*']) {
      const path = `/graphql?query=${encodeURIComponent(mutation())}`;
      const answer = await service.ask('GET', path, { headers: { ...cookie, ...BY_SCRIPT, Accept } });
      expect(answer.status, Accept).toBe(405);
    }
    expect(await count()).toBe(before);
  });
});

describe('signing in and out', () => {
  it('is impossible for a foreign page', async () => {
    const foreign = await trySignIn(service, DEMO, { Origin: 'https://evil.example' });
    expect(foreign.body).toMatchObject(forbidden);
    expect(foreign.headers.get('set-cookie')).toBeNull();
    const form = await trySignIn(service, JSON.stringify(DEMO), { 'Content-Type': 'text/plain' });
    expect([form.status, form.headers.get('set-cookie')]).toEqual([415, null]);
    expect((await trySignIn(service, DEMO, { Origin: 'https://app.example' })).status).toBe(201);
  });

  it('needs the header to sign out as well, and is impossible for a foreign page', async () => {
    const headers = await signIn(service);
    const foreign = { ...headers, ...BY_SCRIPT, Origin: 'https://evil.example' };
    for (const refused of [headers, { ...headers, Origin: 'https://evil.example' }, foreign]) {
      expect((await service.ask('DELETE', SESSION, { headers: refused })).body).toMatchObject(forbidden);
    }
    expect((await service.ask('GET', SESSION, { headers })).status).toBe(200);
    expect((await service.ask('DELETE', SESSION, { headers: { ...headers, ...BY_SCRIPT } })).status).toBe(204);
  });
});

describe('the cookie', () => {
  const isSecure = async (env: Readonly<Record<string, string>>, headers = {}) => {
    await using other = await startTestService({ env, database: service.stores.db.databaseName });
    return /; Secure(;|$)/.test((await trySignIn(other, DEMO, headers)).headers.get('set-cookie') ?? '');
  };
  const https = { 'X-Forwarded-Proto': 'https' };

  it('is Secure over https: by BASE_URL, or as told by a trusted proxy', async () => {
    expect(await isSecure({ BASE_URL: 'https://api.example' })).toBe(true);
    expect(await isSecure({ TRUST_PROXY: '1' }, https)).toBe(true);
    expect(await isSecure({ TRUST_PROXY: '1' }, { 'X-Forwarded-Proto': 'http' })).toBe(false);
    expect(await isSecure({}, https)).toBe(false);
    expect(await isSecure({})).toBe(false);
  });

  it.each([
    ['1', 'https,http', false],
    ['1', 'http, https', true],
    ['2', 'https,http', true],
    ['2', 'https,http,http', false],
    ['2', 'http,https,http', true],
    ['2', 'https', true],
    ['3', 'https,http', true],
  ])('behind %s trusted proxies that add to %j: Secure is %j', async (TRUST_PROXY, value, secure) => {
    expect(await isSecure({ TRUST_PROXY }, { 'X-Forwarded-Proto': value })).toBe(secure);
  });

  it('is accepted from a page behind a trusted proxy, by the host it forwards', async () => {
    const database = service.stores.db.databaseName;
    await using behind = await startTestService({ env: { TRUST_PROXY: '1' }, database });
    const ask = (headers: object) => trySignIn(behind, DEMO, { Origin: 'https://shown.example', ...headers });
    expect((await ask({ 'X-Forwarded-Host': 'shown.example' })).status).toBe(201);
    expect((await ask({ 'X-Forwarded-Host': 'claimed.example, shown.example' })).status).toBe(201);
    expect((await ask({ 'X-Forwarded-Host': 'shown.example, real.example' })).status).toBe(403);
    expect((await ask({})).status).toBe(403);
    const shown = { 'X-Forwarded-Host': 'shown.example' };
    expect((await ask({ ...shown, 'X-Forwarded-Proto': 'https' })).status).toBe(201);
    expect((await ask({ ...shown, 'X-Forwarded-Proto': 'http' })).status).toBe(403);
    const claims = { Origin: 'https://shown.example', 'X-Forwarded-Host': 'shown.example' };
    expect((await trySignIn(service, DEMO, claims)).status).toBe(403);
  });
});
