import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { afterEach, describe, expect, it } from 'vitest';
import { hashPassword } from '../../src/auth/passwords.ts';
import { serviceFixture, startTestService } from '../service.ts';
import { BY_SCRIPT, forgetFailures, makeUser, SESSION, signIn, trySignIn } from './sign-in.ts';

/** How far the service's clock is ahead. */
const ahead = 0;

const service = serviceFixture({ sources: { now: () => new Date(Date.now() + ahead) } });
afterEach(() => forgetFailures(service));

const get = (path: string, headers: Readonly<Record<string, string>>) => service.ask('GET', path, { headers });
const refused = { status: 401, code: 'UNAUTHENTICATED' };

describe('DELETE /api/rest/1.0/session', () => {
  it('signs out: 204, the cookie is removed, and the session is refused at once', async () => {
    const headers = await signIn(service);
    const other = await signIn(service);
    expect((await get('/workspaces', headers)).status).toBe(200);
    const answer = await service.ask('DELETE', `${SESSION}/`, { headers: { ...headers, ...BY_SCRIPT } });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^session=; Max-Age=0; Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax$/,
    );
    expect((await get('/workspaces', headers)).body).toMatchObject(refused);
    expect((await service.ask('DELETE', SESSION, { headers: { ...headers, ...BY_SCRIPT } })).body).toMatchObject(
      refused,
    );
    expect((await get('/workspaces', other)).status).toBe(200);
  });

  it('is refused at once, even with requests of the session in flight', async () => {
    const headers = await signIn(service);
    const running = Array.from({ length: 40 }, () => get('/v2/schemas', headers));
    const [signedOut] = await Promise.all([
      service.ask('DELETE', SESSION, { headers: { ...headers, ...BY_SCRIPT } }),
      ...running,
    ]);
    expect(signedOut.status).toBe(204);
    for (let i = 0; i < 10; i++) expect((await get('/v2/schemas', headers)).status).toBe(401);
  });

  it('reaches those waiting for changes, in REST and GraphQL', async () => {
    const headers = await signIn(service);
    const query = '{ changes(after: "newest", wait: 8) { changes { id } next } }';
    const waiting = [
      get('/v2/changes?after=newest&wait=8', headers),
      service.ask('POST', '/graphql', { body: { query }, headers: { ...headers, ...BY_SCRIPT } }),
    ];
    await sleep(500);
    await service.ask('DELETE', SESSION, { headers: { ...headers, ...BY_SCRIPT } });
    const [rest, graphql] = await Promise.all(waiting);
    expect([rest?.status, rest?.body.code]).toEqual([401, 'UNAUTHENTICATED']);
    expect([graphql?.status, graphql?.body.data]).toEqual([401, undefined]);
    expect(graphql?.body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });

  it('takes effect in every other gateway within five seconds', async () => {
    await using other = await startTestService({ database: service.stores.db.databaseName });
    const headers = await signIn(service);
    const status = async () => (await other.ask('GET', '/v2/schemas', { headers })).status;
    expect(await status()).toBe(200);
    await service.ask('DELETE', SESSION, { headers: { ...headers, ...BY_SCRIPT } });
    const end = performance.now() + 5_000;
    while ((await status()) === 200 && performance.now() < end) await sleep(200);
    expect(await status()).toBe(401);
  });
});

describe('a user', () => {
  const isOver = async (headers: Readonly<Record<string, string>>) => {
    const end = performance.now() + 5_000;
    while ((await get('/v2/schemas', headers)).status === 200 && performance.now() < end) await sleep(200);
    return (await get('/v2/schemas', headers)).status === 401;
  };

  it('once disabled has no session any more, and begins none', async () => {
    const { username, signIn: body } = await makeUser(service);
    const headers = await signIn(service, body);
    expect((await get('/v2/schemas', headers)).status).toBe(200);
    await service.stores.users.update(username, { disabled_at: new Date() });
    expect(await isOver(headers)).toBe(true);
    expect((await trySignIn(service, body)).status).toBe(401);
    await service.stores.users.update(username, { disabled_at: null });
    expect((await trySignIn(service, body)).status).toBe(201);
  });

  it('with a new password has no session of the old one, even one begun meanwhile', async () => {
    const { username, signIn: body } = await makeUser(service);
    const headers = await signIn(service, body);
    const change = { password: await hashPassword('another password'), password_id: newId() };
    await service.stores.users.update(username, change);
    expect(await isOver(headers)).toBe(true);
    expect((await trySignIn(service, body)).status).toBe(401);
    expect((await trySignIn(service, { username, password: 'another password' })).status).toBe(201);
  });

  it('of the demo cannot sign in in production, and has no session there', async () => {
    const headers = await signIn(service);
    const database = service.stores.db.databaseName;
    const env = { ENVIRONMENT: 'production', BASE_URL: 'https://api.example' };
    await using production = await startTestService({ env, database });
    expect((await trySignIn(production)).body).toMatchObject(refused);
    for (const Cookie of [headers.Cookie, `__Host-${headers.Cookie}`]) {
      expect((await production.ask('GET', '/v2/schemas', { headers: { Cookie } })).status).toBe(401);
    }
    const { signIn: body } = await makeUser(service);
    const own = await signIn(production, body);
    expect((await production.ask('GET', '/v2/schemas', { headers: own })).status).toBe(200);
    const graphql = await production.graphql('mutation { signIn(username: "a", password: "b") { token } }', {}, null);
    expect(graphql.status).toBe(401);
  });
});
