import type { Entity } from '../src/model/entity/entity.ts';
import { builder } from './building/builder.ts';
import { checkedWindow, EntityRef, PrincipalRef, VersionRef, versionArgs } from './building/entity.ts';
import { connection } from './building/page.ts';

const DeletedDocumentRef = builder.objectRef<Entity>('DeletedDocument').implement({
  description:
    'A deleted entity: its last version, who deleted it and when, and all earlier versions. Kept as long as the audit log.',
  interfaces: [EntityRef],
  fields: (t) => ({
    deletedAt: t.field({
      type: 'DateTime',
      description: 'When it was deleted.',
      resolve: (document, _args, { domain }) => domain.deletedDocuments.deletedAt(document),
    }),
    deletedBy: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The principal that deleted it, or the entity that it belonged to.',
      resolve: (document, _args, { domain }) => domain.deletedDocuments.deletedBy(document),
    }),
    deleter: t.field({
      type: PrincipalRef,
      nullable: true,
      description: 'That principal, with its name at that time.',
      resolve: (document, _args, { domain }) => domain.deletedDocuments.deleter(document),
    }),
    versions: t.field({
      type: [VersionRef],
      description: 'All versions, newest first; the first of them is the last body.',
      args: versionArgs(),
      extensions: checkedWindow,
      resolve: (document, window, { load }) => load.versions(document, window),
    }),
  }),
});

const DeletedDocumentConnection = connection('DeletedDocument', DeletedDocumentRef);

builder.queryField('deletedDocuments', (t) =>
  t.field({
    type: DeletedDocumentConnection,
    description:
      'The documents and attachments that were deleted, individually or together with what they belonged to, latest first. Both parties of the workspace see them, even after the workspace is gone.',
    args: {
      workspace: t.arg({
        type: 'UUID',
        description:
          'Only those of this workspace; if omitted, those of all workspaces of the caller, and jobs that were in none.',
      }),
      first: t.arg.int({ description: 'The maximum number of items, 1 to 1000, default 25.' }),
      after: t.arg.string({ description: 'Only items after this cursor.' }),
      types: t.arg.stringList({
        description:
          'Only those of these types, such as svc.inspection.job; also svc.bridge.externalReference (catalog records) and svc.bridge.synonym.',
      }),
    },
    resolve: (_root, request, { domain }) => domain.deletedDocuments.list(request),
  }),
);
