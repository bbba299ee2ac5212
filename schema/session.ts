import type { NewSession, OwnSession, Session } from '../src/model/session.ts';
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

const OwnSessionRef = builder.objectRef<OwnSession>('UserSession').implement({
  description: 'One of the active sessions of the signed-in user.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id, for ending the session.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it began.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      description: 'When it was last used, accurate to a few seconds.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it ends at the latest.' }),
    address: t.exposeString('address', { nullable: true, description: 'The address that signed in.' }),
    userAgent: t.exposeString('userAgent', { nullable: true, description: 'The program (user agent) that signed in.' }),
    isCurrent: t.exposeBoolean('isCurrent', { description: 'Whether it is the session of this request.' }),
  }),
});

builder.queryField('sessions', (t) =>
  t.field({
    type: [OwnSessionRef],
    description: 'The active sessions of the signed-in user, newest first; UNAUTHENTICATED if the request uses a key.',
    resolve: (_root, _args, { session }) => session.list(),
  }),
);

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
    description:
      'Signs in. RATE_LIMITED after ten failures for a name from one address, or a hundred from one address, within 15 minutes; HTTPS_REQUIRED over plain http in production.',
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
  endSession: t.field({
    type: OwnSessionRef,
    description: 'Ends one of the sessions of the signed-in user, and returns it.',
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Which one: see `sessions`.' }) },
    resolve: (_root, { id }, { session }) => session.endOne(id),
  }),
  endOtherSessions: t.field({
    type: 'Int',
    description: 'Ends all sessions of the signed-in user except that of this request; returns how many.',
    resolve: (_root, _args, { session }) => session.endOthers(),
  }),
  changePassword: t.field({
    type: SessionRef,
    description:
      'Changes the password of the signed-in user, and ends all other sessions. A wrong current password counts as a failed sign-in.',
    args: {
      current: t.arg.string({ required: true, description: 'The current password.' }),
      new: t.arg.string({
        required: true,
        description: 'The new one: 12 to 1,000 characters, and none that is common or easy to guess (INVALID_INPUT).',
      }),
    },
    resolve: (_root, args, { session }) => session.changePassword({ current: args.current, next: args.new }),
  }),
}));
