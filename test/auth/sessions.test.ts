import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { hashSecret } from '../../src/auth/credential-cache.ts';
import { DEMO_TENANTS, DEMO_USER } from '../../src/demo/principals.ts';
import { serviceFixture, startTestService, workspaceFixture } from '../service.ts';
import { BY_SCRIPT, cookieIn, DEMO, forgetFailures, makeUser, SESSION, signIn, trySignIn } from './sign-in.ts';

const HOUR = 60 * 60_000;
/** How far the service's clock is ahead. */
let ahead = 0;

const service = serviceFixture({
  env: { SESSION_IDLE_SECONDS: '0' },
  sources: { now: () => new Date(Date.now() + ahead) },
});
const workspace = workspaceFixture(service);
afterEach(() => forgetFailures(service));

const get = (path: string, headers: Readonly<Record<string, string>>) => service.ask('GET', path, { headers });
const refused = { status: 401, code: 'UNAUTHENTICATED' };

describe('POST /api/rest/1.0/session', () => {
  it('signs in: 201 with who and until when, and the cookie', async () => {
    const before = Date.now();
    const answer = await trySignIn(service);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([201, 'application/json; charset=utf-8']);
    expect(Object.keys(answer.body)).toEqual(['username', 'expiresAt']);
    expect(answer.body.username).toBe('client@demo.example');
    const lasts = new Date(answer.body.expiresAt).getTime() - before;
    expect(lasts).toBeGreaterThanOrEqual(8 * HOUR);
    expect(lasts).toBeLessThan(8 * HOUR + 10_000);
    const [value, ...attributes] = (answer.headers.get('set-cookie') ?? '').split('; ');
    expect(value).toMatch(/^session=[\w-]{43}$/);
    const end = new Date(Math.floor(new Date(answer.body.expiresAt).getTime() / 1000) * 1000).toUTCString();
    expect(attributes.sort()).toEqual([`Expires=${end}`, 'HttpOnly', 'Path=/', 'SameSite=Lax']);
    expect(answer.headers.get('location')).toBeNull();
  });

  it('accepts a trailing slash, and a name in any case', async () => {
    const body = { ...DEMO, username: 'Client@Demo.Example' };
    const answer = await service.ask('POST', `${SESSION}/`, { body });
    expect([answer.status, answer.body.username]).toEqual([201, 'client@demo.example']);
  });

  it('stores only hashes of the token and the password', async () => {
    const { Cookie } = await signIn(service);
    const token = Cookie.replace('session=', '');
    const stored = JSON.stringify([
      await service.stores.db.collection('sessions').find().toArray(),
      await service.stores.db.collection('principals').find().toArray(),
      await service.stores.db.collection('idempotency').find().toArray(),
    ]);
    expect(stored).toContain(hashSecret(token));
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(DEMO.password);
    expect(JSON.stringify(service.logged)).not.toContain(token);
    expect(JSON.stringify(service.logged)).not.toContain(DEMO.password);
  });

  it.each([
    ['a wrong password', { ...DEMO, password: 'demo-passwort' }],
    ['the password of another letter case', { ...DEMO, password: 'Demo-password' }],
    ['an unknown name', { ...DEMO, username: 'nobody@demo.example' }],
    ['a name with space around it', { ...DEMO, username: ' client@demo.example' }],
  ])('refuses %s alike, without a cookie', async (_, body) => {
    const answer = await trySignIn(service, body);
    expect(answer.body).toMatchObject({ ...refused, detail: 'The username or the password is wrong.' });
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it.each([
    [{}, ['/username', '/password']],
    [{ username: 1, password: null }, ['/username', '/password']],
    [{ username: '', password: '' }, ['/username', '/password']],
    [{ username: 'x'.repeat(201), password: 'x'.repeat(1001) }, ['/username', '/password']],
    [{ username: 'client@demo.example' }, ['/password']],
    [{ password: ['demo-password'], username: 'client@demo.example' }, ['/password']],
  ])('reports every fault of the body %j', async (body, paths) => {
    const answer = await trySignIn(service, body);
    expect(answer.body).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
    expect(answer.body.errors.map(({ path }: { path: string }) => path)).toEqual(paths);
  });

  it.each([
    ['[]', {}, 400],
    ['{', {}, 400],
    ['', {}, 400],
    [
      'username=client%40demo.example&password=demo-password',
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      415,
    ],
    [JSON.stringify(DEMO), { 'Content-Type': 'text/plain' }, 415],
    [JSON.stringify(DEMO), { Accept: 'text/html' }, 406],
  ])('refuses the body %s with %j', async (body, headers, status) => {
    const answer = await trySignIn(service, body, headers);
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([status, null]);
  });

  it('refuses query parameters and other methods', async () => {
    const query = await service.ask('POST', `${SESSION}?remember=1`, { body: DEMO });
    expect([query.status, query.body.errors[0].parameter]).toEqual([400, 'remember']);
    const patch = await service.ask('PATCH', SESSION, { body: DEMO });
    expect([patch.status, patch.headers.get('allow')]).toEqual([405, 'POST, GET, HEAD, DELETE, OPTIONS']);
  });

  it('ignores Idempotency-Key: each sign-in is its own session', async () => {
    const headers = { 'Idempotency-Key': 'sign-in' };
    const [one, two] = [await trySignIn(service, DEMO, headers), await trySignIn(service, DEMO, headers)];
    expect([one.status, two.status, two.headers.get('idempotency-replayed')]).toEqual([201, 201, null]);
    expect(cookieIn(one)).not.toBe(cookieIn(two));
  });

  it('takes about as long for an unknown name', async () => {
    const time = async (body: object) => {
      const started = performance.now();
      await trySignIn(service, body);
      return performance.now() - started;
    };
    // The shortest of each, until they are alike: a moment when the machine was busy says nothing.
    const [known, unknown]: [number[], number[]] = [[], []];
    const isAlike = () => Math.min(...unknown) > Math.min(...known) / 3;
    for (let round = 0; round < 8 && (round < 2 || !isAlike()); round++) {
      known.push(await time({ ...DEMO, password: 'wrong' }));
      unknown.push(await time({ ...DEMO, username: `nobody ${round}` }));
    }
    expect(isAlike(), `${known} and ${unknown} ms`).toBe(true);
  });
});

describe('a session', () => {
  it('says who is signed in, by GET and HEAD, with and without a trailing slash', async () => {
    const headers = await signIn(service);
    const answer = await get(SESSION, headers);
    expect([answer.status, answer.body]).toEqual([
      200,
      { username: 'client@demo.example', expiresAt: expect.stringMatching(/^20.*Z$/) },
    ]);
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    expect((await get(`${SESSION}/`, headers)).text).toBe(answer.text);
    const head = await service.ask('HEAD', SESSION, { headers });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('says nothing without a session', async () => {
    for (const headers of [
      {},
      { Cookie: 'session=' },
      { Cookie: 'other=1' },
      { Cookie: `session=${'x'.repeat(43)}` },
    ]) {
      const answer = await get(SESSION, headers);
      expect(answer.body).toMatchObject(refused);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
    expect((await service.ask('GET', SESSION, { as: 'client' })).body).toMatchObject(refused);
    expect((await service.ask('DELETE', SESSION, { as: 'client' })).body).toMatchObject(refused);
  });

  it('opens every family and GraphQL as its user', async () => {
    const headers = await signIn(service);
    for (const path of ['/workspaces', '/v2/organizations', `/workspaces/${workspace.id}/jobs`, '/v2/schemas']) {
      expect([path, (await get(path, headers)).status]).toEqual([path, 200]);
    }
    const created = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { headers, body: {} });
    expect(created.status).toBe(201);
    const { body } = await get(`/v2/workspaces/${workspace.id}/documents/${created.body.id}`, headers);
    expect(body.created_by).toBe(DEMO_USER.id);
    const query = '{ viewer { id name tenant scopes } session { username } }';
    const viewer = {
      id: DEMO_USER.id,
      name: 'client@demo.example',
      tenant: DEMO_TENANTS.client,
      scopes: ['read', 'write'],
    };
    const data = { viewer, session: { username: 'client@demo.example' } };
    const post = await service.ask('POST', '/graphql', { headers, body: { query } });
    expect(post.body).toEqual({ data });
    const byGet = await get(`/graphql?query=${encodeURIComponent(query)}`, headers);
    expect(byGet.body).toEqual({ data });
    const events = { ...headers, Accept: 'text/event-stream' };
    const stream = await get(`/graphql?query=${encodeURIComponent(query)}`, events);
    expect([stream.status, stream.text]).toEqual([200, expect.stringContaining(JSON.stringify({ data }))]);
  });

  it('shows only what its tenant may see', async () => {
    const { signIn: body } = await makeUser(service, { tenant: DEMO_TENANTS.observer });
    const headers = await signIn(service, body);
    expect((await get('/workspaces', headers)).body).toEqual([]);
    const foreign = await get(`/workspaces/${workspace.id}`, headers);
    expect(foreign.body).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  it("may do what its user's scopes allow, and always end", async () => {
    const { signIn: body } = await makeUser(service, { scopes: [] });
    const headers = { ...(await signIn(service, body)), ...BY_SCRIPT };
    expect((await get('/workspaces', headers)).status).toBe(403);
    expect((await service.ask('POST', '/v2/organizations', { headers, body: { name: 'x' } })).status).toBe(403);
    expect((await get(SESSION, headers)).status).toBe(200);
    expect((await service.ask('DELETE', SESSION, { headers })).status).toBe(204);
  });

  it('yields to an Authorization header, valid or not', async () => {
    const headers = await signIn(service);
    const ask = (Authorization: string) =>
      service.ask('POST', '/graphql', {
        headers: { ...headers, Authorization },
        body: { query: '{ viewer { name } }' },
      });
    expect((await ask('Bearer demo-vendor-key')).body.data.viewer.name).toMatch(/vendor/);
    for (const wrong of ['Bearer unknown', 'Basic x']) expect((await ask(wrong)).status).toBe(401);
  });

  it('can be begun, shown and ended by GraphQL', async () => {
    const begun = await service.graphql(
      'mutation ($username: String!, $password: String!) { signIn(username: $username, password: $password) { token username expiresAt } }',
      DEMO,
      null,
    );
    const { token, username } = begun.body.data.signIn;
    expect([username, begun.headers.get('set-cookie')]).toEqual(['client@demo.example', null]);
    const ask = (query: string) =>
      service.ask('POST', '/graphql', { headers: { Cookie: `session=${token}` }, body: { query } });
    expect((await ask('{ session { username } }')).body.data).toEqual({ session: { username } });
    expect((await ask('mutation { signOut { username } }')).body.data).toEqual({ signOut: { username } });
    expect((await ask('{ session { username } }')).body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    const wrong = await service.graphql('mutation { signIn(username: "", password: "x") { token } }', {}, null);
    expect(wrong.body.errors[0].extensions).toMatchObject({
      code: 'INVALID_INPUT',
      errors: [{ parameter: 'username' }],
    });
    const withKey = await service.graphql('{ session { username } }');
    expect(withKey.body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });

  it("ends on time, by the service's clock and not by what MongoDB has removed", async () => {
    const headers = await signIn(service);
    expect((await get('/workspaces', headers)).status).toBe(200);
    try {
      ahead = 8 * HOUR - 60_000;
      expect((await get('/workspaces', headers)).status).toBe(200);
      ahead = 8 * HOUR + 1;
      expect((await get('/workspaces', headers)).body).toMatchObject(refused);
      await sleep(4_100); // past the process's cache
      expect((await get('/workspaces', headers)).body).toMatchObject(refused);
    } finally {
      ahead = 0;
    }
    const [ttl] = await service.stores.db
      .collection('sessions')
      .indexes()
      .then((all) => all.filter(({ expireAfterSeconds }) => expireAfterSeconds === 0));
    expect(ttl?.key).toEqual({ expires_at: 1 });
  });

  it('lasts SESSION_TTL_SECONDS', async () => {
    const database = service.stores.db.databaseName;
    let later = 0;
    const sources = { now: () => new Date(Date.now() + later) };
    await using short = await startTestService({ env: { SESSION_TTL_SECONDS: '600' }, database, sources });
    const headers = await signIn(short);
    later = 540_000;
    expect((await short.ask('GET', '/workspaces', { headers })).status).toBe(200);
    later = 600_000;
    expect((await short.ask('GET', '/workspaces', { headers })).status).toBe(401);
  });
});
