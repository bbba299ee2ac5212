import type { NewSession, Session } from '../src/model/session.ts';
import { builder } from './building/builder.ts';

const SessionRef = builder.objectRef<Session>('Session').implement({
  description: 'The session of a signed-in user, identified by the cookie `session`.',
  fields: (t) => ({
    username: t.exposeString('username', { description: 'The name of the user.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the session expires.' }),
  }),
});

const NewSessionRef = builder.objectRef<NewSession>('NewSession').implement({
  description: 'A new session.',
  fields: (t) => ({
    username: t.exposeString('username', { description: 'The name of the user.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the session expires.' }),
    token: t.exposeString('token', {
      description: 'The value of the cookie `session`, which REST sets itself; it is returned only once.',
    }),
  }),
});

builder.queryField('session', (t) =>
  t.field({
    type: SessionRef,
    description: 'The session of the request; UNAUTHENTICATED if the request uses a key.',
    resolve: (_root, _args, { session }) => session.current,
  }),
);

builder.mutationFields((t) => ({
  signIn: t.field({
    type: NewSessionRef,
    description: 'Signs in. RATE_LIMITED after ten failures for a name or address within 15 minutes.',
    args: {
      username: t.arg.string({ required: true, description: 'The user name, case-insensitive.' }),
      password: t.arg.string({ required: true, description: 'The password, up to 1,000 characters.' }),
    },
    resolve: (_root, args, { session }) => session.signIn(args),
  }),
  signOut: t.field({
    type: SessionRef,
    description: 'Signs out: ends the session of the request, and returns it.',
    resolve: (_root, _args, { session }) => session.signOut(),
  }),
}));
