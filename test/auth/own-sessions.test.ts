import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { afterEach, describe, expect, it } from 'vitest';
import { hashSecret } from '../../src/auth/credential-cache.ts';
import { serviceFixture, startTestService } from '../service.ts';
import { cookieIn, forgetFailures, makeUser, signIn, trySignIn } from './sign-in.ts';

const service = serviceFixture();
afterEach(() => forgetFailures(service));

type Cookie = { readonly Cookie: string };
const asked = (headers: object, query: string, variables: object = {}) =>
  service.ask('POST', '/graphql', { headers: { ...headers }, body: { query, variables } });
const LIST = '{ sessions { id createdAt lastUsedAt expiresAt address userAgent isCurrent } }';
const CHANGE =
  'mutation ($current: String!, $new: String!) { changePassword(current: $current, new: $new) { username } }';
const statusOf = async (headers: Cookie) => (await service.ask('GET', '/v2/schemas', { headers })).status;
const codeOf = async (answer: ReturnType<typeof asked>) => (await answer).body.errors[0].extensions.code as string;

describe('a user’s own sessions', () => {
  it('are listed only to that user, and ended one by one or all others at once', async () => {
    const { signIn: body } = await makeUser(service);
    const mine = [await signIn(service, body), await signIn(service, body), await signIn(service, body)] as const;
    const strangers = await signIn(service, (await makeUser(service)).signIn);
    const { sessions } = (await asked(mine[0], LIST)).body.data;
    expect(sessions).toHaveLength(3);
    expect(sessions[2]).toMatchObject({ isCurrent: true, address: '127.0.0.1', userAgent: 'node' });
    expect(sessions.filter(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toHaveLength(1);

    const end = 'mutation ($id: UUID!) { endSession(id: $id) { id } }';
    expect(await codeOf(asked(strangers, end, { id: sessions[0].id }))).toBe('NOT_FOUND');
    expect((await asked(mine[0], end, { id: sessions[0].id })).body.data.endSession.id).toBe(sessions[0].id);
    expect([await statusOf(mine[2]), await statusOf(mine[1])]).toEqual([401, 200]);
    expect((await asked(mine[0], 'mutation { endOtherSessions }')).body.data).toEqual({ endOtherSessions: 1 });
    expect(await Promise.all([...mine, strangers].map(statusOf))).toEqual([200, 401, 401, 200]);
  });

  it('are replaced by one begun from within them, and no other is', async () => {
    const { signIn: body } = await makeUser(service);
    const [before, other] = [await signIn(service, body), await signIn(service, body)];
    const refused = await trySignIn(service, { ...body, password: 'a wrong password' }, before);
    expect([refused.status, await statusOf(before)]).toEqual([401, 200]);
    const begun = await trySignIn(service, body, before);
    const now = { Cookie: cookieIn(begun) };
    expect(await Promise.all([before, other, now].map(statusOf))).toEqual([401, 200, 200]);
  });

  it('are 100 at most: another one ends the oldest', async () => {
    const { _id: user, signIn: body, password_id } = await makeUser(service);
    const [oldest, second] = [await signIn(service, body), await signIn(service, body)];
    const sessions = service.stores.db.collection<{ _id: string }>('sessions');
    const expires_at = new Date(Date.now() + 3_600_000);
    const add = (count: number, created_at: Date) =>
      sessions.insertMany(
        Array.from({ length: count }, () => ({
          _id: newId(),
          user,
          password_id,
          created_at,
          used_at: new Date(),
          expires_at,
        })),
      );
    await add(98, new Date());
    expect(await Promise.all([oldest, second].map(statusOf))).toEqual([200, 200]);
    const newest = await signIn(service, body);
    expect(await Promise.all([oldest, second, newest].map(statusOf))).toEqual([401, 200, 200]);
    expect(await sessions.countDocuments({ user })).toBe(100);
    await add(2_000, new Date(0));
    expect((await asked(newest, LIST)).body.data.sessions).toHaveLength(100);
    for (let time = 0; time < 3; time++) await signIn(service, body);
    expect(await sessions.countDocuments({ user })).toBe(100);
    expect(await statusOf(newest)).toBe(200);
  });

  it('do not exist for a caller with a key', async () => {
    for (const query of [LIST, 'mutation { endOtherSessions }']) {
      expect((await service.graphql(query)).body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    }
    const change = await service.graphql(CHANGE, { current: 'x', new: 'y' });
    expect(change.body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });

  it('show nothing that could be used to hijack a session', async () => {
    const headers = await signIn(service, (await makeUser(service)).signIn);
    const { text } = await asked(headers, LIST);
    const stored = await service.stores.db.collection('sessions').find().toArray();
    for (const { _id } of stored) expect(text).not.toContain(String(_id));
    expect(text).not.toContain(headers.Cookie.split('=')[1] ?? headers.Cookie);
  });
});

describe('changing one’s own password', () => {
  it('needs the current one, ends the other sessions, and keeps this one', async () => {
    const { signIn: body } = await makeUser(service);
    const [here, elsewhere] = [await signIn(service, body), await signIn(service, body)];
    const next = 'seven unlikely herons';
    const [wrong] = (await asked(here, CHANGE, { current: 'wrong', new: next })).body.errors;
    expect([wrong.message, wrong.extensions.code]).toEqual(['The current password is wrong.', 'UNAUTHENTICATED']);
    const [empty] = (await asked(here, CHANGE, { current: '', new: next })).body.errors;
    expect(empty.extensions.errors).toMatchObject([{ parameter: 'current' }]);
    expect([await statusOf(here), await statusOf(elsewhere)]).toEqual([200, 200]);
    const { data } = (await asked(here, CHANGE, { current: body.password, new: next })).body;
    expect(data.changePassword.username).toBe(body.username);
    expect([await statusOf(here), await statusOf(elsewhere)]).toEqual([200, 401]);
    await sleep(4_100); // past the process's cache
    expect([await statusOf(here), await statusOf(elsewhere)]).toEqual([200, 401]);
    expect((await trySignIn(service, body)).status).toBe(401);
    expect((await trySignIn(service, { ...body, password: next })).status).toBe(201);
  });

  it('to a short, common or guessable one is refused', async () => {
    const { signIn: body } = await makeUser(service, { username: `anna@kestrel-${Math.random()}.example` });
    const headers = await signIn(service, body);
    const refused = {
      aaaaaaaaaaaa: 'easy to guess',
      password1234: 'easy to guess',
      'Passw0rd!2024': 'easy to guess',
      'qwertyuiop[]': 'easy to guess',
      '123456789012': 'easy to guess',
      abcabcabcabc: 'easy to guess',
      [body.username]: 'easy to guess',
      short: '12 to 1000',
      ['x'.repeat(1_001)]: '12 to 1000',
    };
    for (const [next, says] of Object.entries(refused)) {
      const { body: answer } = await asked(headers, CHANGE, { current: body.password, new: next });
      expect([next, answer.errors?.[0].extensions]).toMatchObject([
        next,
        { code: 'INVALID_INPUT', errors: [{ parameter: 'new' }] },
      ]);
      expect(answer.errors[0].message).toContain(says);
      expect(JSON.stringify(answer)).not.toContain(next.slice(0, 100));
    }
    expect((await trySignIn(service, body)).status).toBe(201);
  });

  it('is no way around the limit of failed sign-ins', async () => {
    const { signIn: body } = await makeUser(service);
    const headers = await signIn(service, body);
    const codes: string[] = [];
    for (let i = 0; i < 11; i++) codes.push(await codeOf(asked(headers, CHANGE, { current: `guess ${i}`, new: 'x' })));
    expect([new Set(codes.slice(0, 10)), codes.at(-1)]).toEqual([new Set(['UNAUTHENTICATED']), 'RATE_LIMITED']);
    expect((await trySignIn(service, body)).status).toBe(429);
  });
});

describe('an unused session', () => {
  it('ends after SESSION_IDLE_SECONDS; a used one continues', async () => {
    const database = service.stores.db.databaseName;
    let ahead = 0;
    const sources = { now: () => new Date(Date.now() + ahead) };
    await using idle = await startTestService({ env: { SESSION_IDLE_SECONDS: '600' }, database, sources });
    const status = async (headers: Cookie) => (await idle.ask('GET', '/v2/schemas', { headers })).status;
    const [used, unused] = [await signIn(idle), await signIn(idle)];
    expect([await status(used), await status(unused)]).toEqual([200, 200]);
    const _id = hashSecret(used.Cookie.replace('session=', ''));
    const stored = () => idle.stores.db.collection<{ _id: string; used_at: Date }>('sessions').findOne({ _id });
    for (const round of [1, 2]) {
      ahead = round * 500_000;
      // A use is recorded once the process's cache of the last one has expired.
      const isNoted = async () => [
        await status(used),
        Number((await stored())?.used_at) > Date.now() + ahead - 250_000,
      ];
      await expect.poll(isNoted).toEqual([200, true]);
    }
    await expect.poll(() => status(unused)).toBe(401);
    expect(await status(used)).toBe(200);
    const { body } = await idle.ask('POST', '/graphql', { headers: { ...used }, body: { query: LIST } });
    expect(body.data.sessions.map(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toEqual([true]);
  });
});
