import type { Viewer } from '../src/auth/viewer.ts';
import { builder } from './building/builder.ts';

export const ViewerRef = builder.objectRef<Viewer>('Viewer').implement({
  description: 'The principal that makes the request.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the principal, as in createdBy.' }),
    name: t.exposeString('name', { description: 'The name of the key, user or token.' }),
    tenant: t.expose('tenant', {
      type: 'UUID',
      description: 'The tenant of the principal, which is the audience of its organizations.',
    }),
    scopes: t.stringList({ description: 'The scopes: read, write, admin.', resolve: ({ scopes }) => [...scopes] }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({ type: ViewerRef, description: 'The caller.', resolve: (_root, _args, { domain }) => domain.viewer }),
);
