import { afterEach, describe, expect, it } from 'vitest';
import { serviceFixture, startTestService } from '../service.ts';
import { DEMO, forgetFailures, makeUser, signIn, trySignIn } from './sign-in.ts';

const MINUTE = 60_000;
/** How far the clock of the service is ahead. */
let ahead = 0;
const now = () => new Date(Date.now() + ahead);

const service = serviceFixture({ env: { TRUST_PROXY: '1' }, sources: { now } });
afterEach(() => {
  ahead = 0;
  return forgetFailures(service);
});

const from = (address: string) => ({ 'X-Forwarded-For': address });
const WRONG = { ...DEMO, password: 'wrong' };
const limited = { status: 429, code: 'RATE_LIMITED' };

/** Fails so often, each time from another address. */
const failByName = (times: number, body: object = WRONG) =>
  Promise.all(Array.from({ length: times }, (_, i) => trySignIn(service, body, from(`192.0.2.${i + 1}`))));
/** Fails so often from one address, each time with another name. */
const failFrom = (address: string, times: number) =>
  Promise.all(
    Array.from({ length: times }, (_, i) =>
      trySignIn(service, { username: `nobody ${i}`, password: 'x' }, from(address)),
    ),
  );

// A try costs a quarter of a second of a core.
describe('ten failed sign-ins', { timeout: 120_000 }, () => {
  it('for a name block it from every address, also with the right password', async () => {
    const failed = await failByName(10);
    expect(failed.map(({ status }) => status)).toEqual(Array(10).fill(401));
    for (const body of [WRONG, DEMO, { ...DEMO, username: DEMO.username.toUpperCase() }]) {
      const answer = await trySignIn(service, body, from('198.51.100.1'));
      expect(answer.body).toMatchObject(limited);
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      const seconds = Number(answer.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(14 * 60);
      expect(seconds).toBeLessThanOrEqual(15 * 60);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
    const { signIn: other } = await makeUser(service);
    expect((await trySignIn(service, other, from('192.0.2.1'))).status).toBe(201);
  });

  it('from an address block it for every name', async () => {
    await failFrom('203.0.113.7', 10);
    expect((await trySignIn(service, DEMO, from('203.0.113.7'))).body).toMatchObject(limited);
    expect((await trySignIn(service, DEMO, from('203.0.113.8'))).status).toBe(201);
  });

  it('from one network of IPv6 count together', async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        trySignIn(service, { username: `six ${i}`, password: 'x' }, from(`2001:db8:0:1::${i + 1}`)),
      ),
    );
    expect((await trySignIn(service, DEMO, from('2001:db8:0:1:ffff::9'))).status).toBe(429);
    expect((await trySignIn(service, DEMO, from('2001:db8:0:2::1'))).status).toBe(201);
  });

  it('count the address that the believed proxy tells, not what the client claims', async () => {
    await failFrom('203.0.113.7', 10);
    const claimed = { 'X-Forwarded-For': '192.0.2.77, 203.0.113.7' };
    expect((await trySignIn(service, DEMO, claimed)).status).toBe(429);
    await using direct = await startTestService();
    const failed = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        trySignIn(direct, { username: `nobody ${i}`, password: 'x' }, from(`192.0.2.${i}`)),
      ),
    );
    expect(failed.map(({ status }) => status)).toEqual(Array(10).fill(401));
    expect((await trySignIn(direct, DEMO, from('192.0.2.99'))).status).toBe(429);
  });

  it('block in every gateway', async () => {
    await failByName(10);
    const database = service.stores.db.databaseName;
    await using other = await startTestService({ env: { TRUST_PROXY: '1' }, database });
    expect((await trySignIn(other, DEMO, from('198.51.100.2'))).body).toMatchObject(limited);
  });

  it('block for 15 minutes from the first of them', async () => {
    await failByName(1);
    ahead = 10 * MINUTE;
    await failByName(8);
    expect((await trySignIn(service, DEMO, from('198.51.100.3'))).status).toBe(201);
    await failByName(1);
    const blocked = await trySignIn(service, DEMO, from('198.51.100.3'));
    expect(blocked.status).toBe(429);
    const seconds = Number(blocked.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(4 * 60);
    expect(seconds).toBeLessThanOrEqual(5 * 60);
    ahead += seconds * 1000;
    expect((await trySignIn(service, DEMO, from('198.51.100.3'))).status).toBe(201);
    await failByName(1);
    expect((await trySignIn(service, DEMO, from('198.51.100.3'))).status).toBe(429);
  });

  it('are no more than ten, however many are tried at once', async () => {
    const tried = await failByName(18);
    const count = (status: number) => tried.filter((answer) => answer.status === status).length;
    expect([count(401), count(429)]).toEqual([10, 8]);
  });

  it('are not made of good sign-ins, nor of requests that are no sign-in', async () => {
    const good = await Promise.all(Array.from({ length: 12 }, () => trySignIn(service)));
    expect(good.map(({ status }) => status)).toEqual(Array(12).fill(201));
    await Promise.all(Array.from({ length: 12 }, () => trySignIn(service, { username: DEMO.username })));
    expect((await trySignIn(service)).status).toBe(201);
  });

  it('leave running sessions and keys alone', async () => {
    const headers = await signIn(service);
    await failByName(10);
    expect((await service.ask('GET', '/v2/schemas', { headers })).status).toBe(200);
    expect((await service.ask('GET', '/v2/schemas', { as: 'client' })).status).toBe(200);
  });

  it('are kept without names and addresses, and not for ever', async () => {
    await failByName(1);
    const failures = service.stores.db.collection('sign_in_failures');
    const stored = JSON.stringify(await failures.find().toArray());
    expect(stored).not.toContain('demo.example');
    expect(stored).not.toContain('192.0.2');
    const indexes = await failures.indexes();
    expect(indexes.find(({ expireAfterSeconds }) => expireAfterSeconds === 0)?.key).toEqual({ expires_at: 1 });
  });

  it('are RATE_LIMITED by GraphQL too', async () => {
    await failByName(10);
    const { body, headers } = await service.graphql(
      'mutation ($username: String!, $password: String!) { signIn(username: $username, password: $password) { token } }',
      DEMO,
      null,
    );
    expect(body.errors[0].extensions.code).toBe('RATE_LIMITED');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
