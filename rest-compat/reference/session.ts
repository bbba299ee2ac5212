import { MAX_LENGTHS, SESSION_COOKIE } from '../../src/model/session.ts';
import { type Endpoint, endpoint } from '../declare/endpoint.ts';
import { createdWithCookie, noContentWithoutCookie, one } from '../declare/reply.ts';
import { fromBody } from '../declare/source.ts';
import type { View } from '../declare/view.ts';
import { reference } from './family.ts';

const view: View = { username: 'username', expiresAt: 'expiresAt' };

/** /api/rest/1.0/session: signing in and out, for every family and for GraphQL (`sessionAuth`). */
export const session: readonly Endpoint[] = [
  endpoint(reference, {
    id: 'reference.session.create',
    route: 'POST /session',
    summary: 'Signs a user in and sets the session cookie. Blocked for a while after ten failures.',
    operation: `mutation ReferenceSessionCreate($username: String!, $password: String!) {
      signIn(username: $username, password: $password) { username expiresAt token }
    }`,
    variables: {
      username: fromBody('username', { kind: 'string', most: MAX_LENGTHS.username }),
      password: fromBody('password', { kind: 'string', most: MAX_LENGTHS.password }),
    },
    reply: createdWithCookie(view, { name: SESSION_COOKIE, value: 'token', expires: 'expiresAt' }),
    errors: ['UNAUTHENTICATED', 'FORBIDDEN', 'HTTPS_REQUIRED'],
    open: true,
    maxBodyBytes: 64 * 1024,
  }),
  endpoint(reference, {
    id: 'reference.session.get',
    route: 'GET /session',
    summary: 'Returns the signed-in user, and when the session expires.',
    operation: 'query ReferenceSessionGet { session { username expiresAt } }',
    variables: {},
    reply: one(view),
    errors: [],
    scope: 'none',
  }),
  endpoint(reference, {
    id: 'reference.session.delete',
    route: 'DELETE /session',
    summary: 'Signs out: ends the session and clears its cookie.',
    operation: 'mutation ReferenceSessionDelete { signOut { username } }',
    variables: {},
    reply: noContentWithoutCookie(SESSION_COOKIE),
    errors: ['FORBIDDEN'],
    scope: 'none',
  }),
];
