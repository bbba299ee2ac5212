import { randomBytes, scryptSync } from 'node:crypto';
import { v7 as newId } from 'uuid';
import { DEMO_TENANTS, DEMO_USER } from '../../src/demo/principals.ts';
import { usernameKey } from '../../src/model/session.ts';
import type { StoredUser } from '../../src/store/access/users.ts';
import type { Answer, TestService } from '../service.ts';

export const SESSION = '/api/rest/1.0/session';
export const DEMO = { username: DEMO_USER.username, password: DEMO_USER.password };

export const trySignIn = (service: TestService, body: unknown = DEMO, headers = {}): Promise<Answer> =>
  service.ask('POST', SESSION, { body, headers });

/** Signs in, and returns the session's Cookie header. */
export async function signIn(service: TestService, body: unknown = DEMO): Promise<{ readonly Cookie: string }> {
  const answer = await trySignIn(service, body);
  if (answer.status !== 201) throw new Error(`not signed in: ${answer.text}`);
  return { Cookie: cookieIn(answer) };
}

/** The cookie set by an answer, as a browser sends it back. */
export const cookieIn = ({ headers }: Pick<Answer, 'headers'>): string =>
  headers.get('set-cookie')?.split(';')[0] ?? '';

/** What the browser's own page sends with the cookie on a change. */
export const BY_SCRIPT = { 'X-Requested-With': 'fetch' };

/** The stored form of a password that is verified in a few milliseconds instead of a quarter of a second. */
export function quickHash(password: string): string {
  const [N, r, p] = [1_024, 8, 1];
  const salt = randomBytes(16);
  const derived = scryptSync(password, salt, 32, { N, r, p });
  return ['scrypt', N, r, p, salt.toString('base64url'), derived.toString('base64url')].join(':');
}

/** Adds a user to the database, in the client's tenant by default. */
export async function makeUser(service: TestService, over: Partial<StoredUser> = {}) {
  const username = over.username ?? `user-${newId()}@demo.example`;
  const password = `password of ${username}`;
  const user: StoredUser = {
    _id: newId(),
    kind: 'user',
    username,
    username_key: usernameKey(username),
    password: quickHash(password),
    password_id: newId(),
    tenant: DEMO_TENANTS.client,
    scopes: ['read', 'write'],
    created_at: new Date(),
    ...over,
  };
  await service.stores.users.insert(user);
  return { ...user, signIn: { username, password } };
}

/** Lets failed names and addresses try again. */
export const forgetFailures = ({ stores }: TestService): Promise<unknown> =>
  stores.db.collection('sign_in_failures').deleteMany({});
