import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PasswordCheck } from '../../src/auth/password-check.ts';
import { commandsDuring } from '../profile.ts';
import { type Answer, serviceFixture, startTestService } from '../service.ts';
import { DEMO, forgetFailures, makeUser, quickHash, signIn, trySignIn } from './sign-in.ts';

const MINUTE = 60_000;

const service = serviceFixture({ env: { TRUST_PROXY: '1' } });
beforeAll(() => service.stores.users.update(DEMO.username, { password: quickHash(DEMO.password) }));
afterEach(() => forgetFailures(service));

const HERE = '192.0.2.1';
const inHalfAMinute = () => new Date(Date.now() + MINUTE / 2);
const from = (address: string) => ({ 'X-Forwarded-For': address });
const WRONG = { ...DEMO, password: 'wrong' };
const limited = { status: 429, code: 'RATE_LIMITED' };

/** Retries while too many others are being hashed, as the answer asks. */
async function tried(body: object, address: string): Promise<Answer> {
  for (;;) {
    const answer = await trySignIn(service, body, from(address));
    if (!answer.body.detail?.includes('at this moment')) return answer;
  }
}
const failures = () => service.stores.db.collection<{ _id: string; attempts: unknown[] }>('sign_in_failures');

/** Fails that often with one name from one address. */
async function fail(times: number, { body = WRONG as object, address = HERE } = {}): Promise<void> {
  for (let time = 0; time < times; time++) expect((await tried(body, address)).status).toBe(401);
}

/** Raises the count of failures already recorded through the service. */
async function addFailures(more: number): Promise<void> {
  const attempts = Array.from({ length: more }, (_, i) => ({ at: new Date(), id: `added ${i}` }));
  await failures().updateMany({ 'attempts.0': { $exists: true } }, { $push: { attempts: { $each: attempts } } });
}

/** Backdates what is stored by that much. */
function age(ms: number): Promise<unknown> {
  const earlier = (field: string) => ({ $subtract: [`$$this.${field}`, ms] });
  const isFailed = { $eq: [{ $type: '$$this.open_until' }, 'missing'] };
  const open = { $cond: [isFailed, {}, { open_until: earlier('open_until') }] };
  const attempts = { $map: { input: '$attempts', in: { $mergeObjects: ['$$this', { at: earlier('at') }, open] } } };
  return failures().updateMany({}, [{ $set: { attempts } }]);
}

/** Fails ten times; the first and the last through the service. */
async function failTen(address = HERE): Promise<void> {
  await fail(1, { address });
  await addFailures(8);
  await fail(1, { address });
}

describe('ten failed sign-ins for a name from one address', { timeout: 120_000 }, () => {
  it('block that pair, even for the right password, and nobody else', async () => {
    await fail(10);
    for (const body of [WRONG, DEMO, { ...DEMO, username: DEMO.username.toUpperCase() }]) {
      const answer = await tried(body, HERE);
      expect(answer.body).toMatchObject(limited);
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      const seconds = Number(answer.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(14 * 60 - 30);
      expect(seconds).toBeLessThanOrEqual(15 * 60);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
    expect((await tried(DEMO, '198.51.100.1')).status).toBe(201);
    const { signIn: other } = await makeUser(service);
    expect((await tried(other, HERE)).status).toBe(201);
  });

  it('count together for one IPv6 network', async () => {
    await fail(1, { address: '2001:db8:0:1::1' });
    await addFailures(8);
    await fail(1, { address: '2001:db8:0:1::2' });
    expect((await tried(DEMO, '2001:db8:0:1:ffff::9')).status).toBe(429);
    expect((await tried(DEMO, '2001:db8:0:2::1')).status).toBe(201);
  });

  it('count together whatever port or garbage a proxy appends to the address', async () => {
    for (const [first, second] of [
      ['203.0.113.9:50001', '203.0.113.9:50002'],
      ['[2001:db8:0:3::1]:50001', '[2001:db8:0:3::2%eth0]:50002'],
      ['unknown', '_hidden'],
    ] as const) {
      await failTen(first);
      expect((await tried(DEMO, second)).status).toBe(429);
      await forgetFailures(service);
    }
  });

  it("count the address from the trusted proxy, not the client's claim", async () => {
    await failTen('203.0.113.7');
    expect((await tried(DEMO, '192.0.2.77, 203.0.113.7')).status).toBe(429);
  });

  it('block in every gateway, and in GraphQL', async () => {
    await failTen();
    const database = service.stores.db.databaseName;
    await using other = await startTestService({ env: { TRUST_PROXY: '1' }, database });
    expect((await trySignIn(other, DEMO, from(HERE))).body).toMatchObject(limited);
    const query =
      'mutation ($username: String!, $password: String!) { signIn(username: $username, password: $password) { token } }';
    const body = { query, variables: DEMO };
    const answer = await service.ask('POST', '/graphql', { body, headers: from(HERE) });
    expect(answer.body.errors[0].extensions.code).toBe('RATE_LIMITED');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('block for 15 minutes from the first, not prolonged by refused attempts', async () => {
    await fail(1);
    await age(10 * MINUTE);
    await addFailures(8);
    expect((await tried(DEMO, HERE)).status).toBe(201);
    await fail(1);
    for (let i = 0; i < 3; i++) {
      const blocked = await tried(DEMO, HERE);
      expect(blocked.status).toBe(429);
      const seconds = Number(blocked.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(4 * 60);
      expect(seconds).toBeLessThanOrEqual(5 * 60);
    }
    await age(5 * MINUTE + 1);
    await fail(1);
    expect((await tried(DEMO, HERE)).status).toBe(429);
  });

  it('never exceed ten, however many attempts are concurrent', async () => {
    const answers = await Promise.all(Array.from({ length: 18 }, () => trySignIn(service, WRONG, from(HERE))));
    const failed = answers.filter(({ status }) => status === 401).length;
    expect(failed).toBeGreaterThan(0);
    expect(failed).toBeLessThanOrEqual(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(18 - failed);
    await fail(10 - failed);
    expect((await tried(DEMO, HERE)).status).toBe(429);
  });

  it('exclude successful sign-ins, and requests that are no sign-in', async () => {
    for (let i = 0; i < 11; i++) expect((await tried(DEMO, HERE)).status).toBe(201);
    await Promise.all(Array.from({ length: 12 }, () => trySignIn(service, { username: DEMO.username }, from(HERE))));
    expect((await tried(DEMO, HERE)).status).toBe(201);
    expect((await failures().find().toArray()).flatMap(({ attempts }) => attempts)).toEqual([]);
  });

  it('exclude attempts begun by a gateway that ended: these count for half a minute', async () => {
    await fail(1);
    const attempts = Array.from({ length: 9 }, (_, i) => ({
      at: new Date(),
      id: `cut off ${i}`,
      open_until: inHalfAMinute(),
    }));
    await failures().updateMany({}, { $push: { attempts: { $each: attempts } } });
    const blocked = await tried(DEMO, HERE);
    expect(blocked.body).toMatchObject(limited);
    expect(Number(blocked.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    await age(MINUTE);
    expect((await tried(DEMO, HERE)).status).toBe(201);
    expect((await failures().find().toArray()).map((each) => each.attempts.length)).toEqual([1, 1]);
  });

  it('leave running sessions and keys alone', async () => {
    const headers = await signIn(service);
    await failTen();
    expect((await service.ask('GET', '/v2/schemas', { headers })).status).toBe(200);
    expect((await service.ask('GET', '/v2/schemas', { as: 'client' })).status).toBe(200);
  });

  it('are stored without names and addresses, and not forever', async () => {
    await fail(1);
    const stored = JSON.stringify(await failures().find().toArray());
    expect(stored).not.toContain('demo.example');
    expect(stored).not.toContain(HERE);
    const indexes = await failures().indexes();
    expect(indexes.find(({ expireAfterSeconds }) => expireAfterSeconds === 0)?.key).toEqual({ expires_at: 1 });
  });
});

describe('a hundred failed sign-ins from one address', () => {
  it('for any names block that address for every name, and no other', async () => {
    await fail(1, { body: { username: 'nobody', password: 'x' } });
    await addFailures(98);
    await fail(1, { body: { username: 'nobody else', password: 'x' } });
    expect((await tried(DEMO, HERE)).body).toMatchObject(limited);
    expect((await tried(DEMO, '192.0.2.2')).status).toBe(201);
  });
});

describe('a burst of sign-ins', () => {
  /** Far more than a fast machine hashes in two seconds. */
  const MANY = 160;
  /** Of Node, for hashes, compression and files. */
  const THREADS = 4;

  it('is hashed two at a time; any that would wait over two seconds is 429, and others are served meanwhile', async () => {
    const key = { Authorization: 'Bearer demo-client-key', 'Accept-Encoding': 'gzip' };
    const timed = async (work: () => Promise<unknown>) => {
      const began = performance.now();
      await work();
      return performance.now() - began;
    };
    const others = async () => (await fetch(`${service.url}/openapi.json`, { headers: key })).text();
    await others();
    const hashed = await timed(() => trySignIn(service, { username: 'nobody', password: 'x' }, from(HERE)));
    await forgetFailures(service);
    const burst = Array.from({ length: MANY }, (_, i) =>
      trySignIn(service, { username: `nobody ${i}`, password: 'x' }, from(`198.51.100.${i}`)),
    );
    const waited = await timed(others);
    const answers = await Promise.all(burst);
    const refused = answers.filter(({ status }) => status === 429);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect(refused.length).toBeGreaterThan(20);
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(2);
    expect(waited).toBeLessThan((MANY * hashed) / THREADS); // as long as they would take without waiting
    const counted = (
      await failures()
        .find({ _id: /^pair / })
        .toArray()
    ).flatMap(({ attempts }) => attempts);
    expect(counted).toHaveLength(MANY - refused.length);
  });

  it('asks the database only about those that have a place in the queue', async () => {
    const { signIn: claim } = await makeUser(service);
    const check = new PasswordCheck({ stores: service.stores, isWelcome: () => true });
    const commands = await commandsDuring(service, () =>
      Promise.allSettled(Array.from({ length: 100 }, () => check.userOf({ ...claim, networks: [HERE] }))),
    );
    const counts = commands.filter(({ command }) => command.findAndModify === 'sign_in_failures');
    expect(counts.length).toBeGreaterThan(0);
    expect(counts.length).toBeLessThanOrEqual(50); // two for each attempt that has a place
  });
});
