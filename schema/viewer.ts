import type { Viewer } from '../src/auth/viewer.ts';
import { builder } from './building/builder.ts';

export const ViewerRef = builder.objectRef<Viewer>('Viewer').implement({
  description: 'Who the request is made by.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The principal: createdBy of what it creates.' }),
    name: t.exposeString('name', { description: 'The name of the key.' }),
    tenant: t.expose('tenant', {
      type: 'UUID',
      description: 'The identity tenant: the audience of its organizations.',
    }),
    scopes: t.stringList({ description: 'read, write, admin.', resolve: ({ scopes }) => [...scopes] }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({ type: ViewerRef, description: 'The caller.', resolve: (_root, _args, { domain }) => domain.viewer }),
);
