import { DEMO_USER } from '../../src/demo/principals.ts';
import type { World } from '../world.ts';

const PATH = '/api/rest/1.0/session';

/** Signs in, and sometimes out again. */
export async function signIn({ client, random }: World): Promise<void> {
  const { username, password } = DEMO_USER;
  const answer = await client.perform({
    kind: 'sign-in',
    claim: { noun: 'session' },
    method: 'POST',
    path: PATH,
    body: { username, password },
    as: 'nobody',
  });
  if (!answer || answer.status >= 300 || random.chance(0.5)) return;
  await client.perform({
    kind: 'sign-out',
    claim: { noun: 'session', signedOut: cookieOf(answer.headers) },
    method: 'DELETE',
    path: PATH,
    as: 'nobody',
    headers: { Cookie: cookieOf(answer.headers), 'X-Requested-With': 'chaos' },
  });
}

/** The cookie that an answer sets, as a browser sends it back. */
export const cookieOf = (headers: Headers): string => headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
