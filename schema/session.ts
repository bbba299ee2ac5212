import type { NewSession, Session } from '../src/model/session.ts';
import { builder } from './building/builder.ts';

const SessionRef = builder.objectRef<Session>('Session').implement({
  description: 'A user who is signed in: requests with the cookie `session` are made in its name.',
  fields: (t) => ({
    username: t.exposeString('username', { description: 'Who is signed in.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the session ends by itself.' }),
  }),
});

const NewSessionRef = builder.objectRef<NewSession>('NewSession').implement({
  description: 'A session that was just begun.',
  fields: (t) => ({
    username: t.exposeString('username', { description: 'Who signed in.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the session ends by itself.' }),
    token: t.exposeString('token', {
      description: 'The value of the cookie `session`, which REST sets by itself; it is shown once.',
    }),
  }),
});

builder.queryField('session', (t) =>
  t.field({
    type: SessionRef,
    description: 'The session that the request is made in; UNAUTHENTICATED for one that is made by a key.',
    resolve: (_root, _args, { session }) => session.current,
  }),
);

builder.mutationFields((t) => ({
  signIn: t.field({
    type: NewSessionRef,
    description: 'Begins a session. Ten failures for a name or an address within 15 minutes: RATE_LIMITED.',
    args: {
      username: t.arg.string({ required: true, description: 'Letter case does not matter.' }),
      password: t.arg.string({ required: true, description: 'Up to 1,000 characters.' }),
    },
    resolve: (_root, args, { session }) => session.signIn(args),
  }),
  signOut: t.field({
    type: SessionRef,
    description: 'Ends the session that the request is made in, and returns it.',
    resolve: (_root, _args, { session }) => session.signOut(),
  }),
}));
