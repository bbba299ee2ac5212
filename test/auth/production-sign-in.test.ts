import { describe, expect, it } from 'vitest';
import { serviceFixture, startTestService } from '../service.ts';
import { BY_SCRIPT, cookieIn, makeUser, SESSION, trySignIn } from './sign-in.ts';

const ENVIRONMENT = 'production';
const plain = serviceFixture({ env: { ENVIRONMENT, TRUST_PROXY: '1' } });

const HTTPS = { 'X-Forwarded-Proto': 'https' };
const refused = { status: 403, code: 'HTTPS_REQUIRED' };

describe('signing in in production', () => {
  it('requires https, which is checked before the password', async () => {
    const { signIn } = await makeUser(plain);
    for (const headers of [{}, { 'X-Forwarded-Proto': 'http' }]) {
      for (const body of [signIn, { ...signIn, password: 'wrong' }]) {
        const answer = await trySignIn(plain, body, headers);
        expect(answer.body).toMatchObject(refused);
        expect(answer.headers.get('set-cookie')).toBeNull();
      }
    }
    const failures = plain.stores.db.collection('sign_in_failures');
    expect(await failures.countDocuments()).toBe(0);
    expect((await trySignIn(plain, signIn, HTTPS)).status).toBe(201);
  });

  it('believes only trusted proxies', async () => {
    const database = plain.stores.db.databaseName;
    await using direct = await startTestService({ env: { ENVIRONMENT }, database });
    const { signIn } = await makeUser(plain);
    expect((await trySignIn(direct, signIn, HTTPS)).body).toMatchObject(refused);
    await using proxied = await startTestService({ env: { ENVIRONMENT, BASE_URL: 'https://api.example' }, database });
    expect((await trySignIn(proxied, signIn)).status).toBe(201);
  });

  it('sets a cookie only our own host can have set, and accepts no other', async () => {
    const { signIn } = await makeUser(plain);
    const answer = await trySignIn(plain, signIn, HTTPS);
    const [value = '', ...attributes] = (answer.headers.get('set-cookie') ?? '').split('; ');
    expect(value).toMatch(/^__Host-session=[\w-]{43}$/);
    expect(attributes.filter((one) => !one.startsWith('Expires'))).toEqual([
      'Path=/',
      'HttpOnly',
      'Secure',
      'SameSite=Lax',
    ]);
    const ask = (Cookie: string) => plain.ask('GET', SESSION, { headers: { Cookie } });
    expect((await ask(cookieIn(answer))).status).toBe(200);
    expect((await ask(value.replace('__Host-', ''))).status).toBe(401);
    const headers = { Cookie: cookieIn(answer), ...BY_SCRIPT };
    const ended = await plain.ask('DELETE', SESSION, { headers });
    expect(ended.headers.get('set-cookie')).toMatch(/^__Host-session=; Max-Age=0; Path=\/; .*; Secure;/);
    expect((await ask(cookieIn(answer))).status).toBe(401);
  });

  it("is described under that cookie's name", async () => {
    const { body } = await plain.ask('GET', '/openapi.json');
    expect(body.components.securitySchemes.sessionAuth.name).toBe('__Host-session');
  });
});
