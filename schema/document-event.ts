import type { DocumentEvent } from '../src/model/entity/event.ts';
import { isTenantPartition } from '../src/model/entity/partition.ts';
import { builder } from './building/builder.ts';
import { DocumentRef } from './document.ts';

const EventKind = builder.enumType('EventKind', {
  description: 'What happened to a document.',
  values: {
    CREATED: { value: 'created', description: 'It is new.' },
    CHANGED: { value: 'changed', description: 'It has a new version.' },
    DELETED: { value: 'deleted', description: 'It is gone, with everything below it (which has events of its own).' },
  } as const,
});

const DocumentEventRef = builder.objectRef<DocumentEvent>('DocumentEvent').implement({
  description: 'One thing that happened to a document.',
  fields: (t) => ({
    id: t.id({
      description: 'Ascending: `after` takes the last one that a client has, to go on without a gap.',
      resolve: ({ sequence }) => String(sequence),
    }),
    kind: t.field({ type: EventKind, description: 'What happened.', resolve: ({ kind }) => kind }),
    at: t.field({ type: 'DateTime', description: 'When it happened.', resolve: ({ at }) => at }),
    by: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The principal who did it; null for a deletion, of which it is not known.',
      resolve: ({ by }) => by,
    }),
    workspaceId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The workspace that the document is in; null for a job without one.',
      resolve: ({ workspace }) => (workspace === null || isTenantPartition(workspace) ? null : workspace),
    }),
    type: t.string({ description: 'The document type.', resolve: ({ type }) => type }),
    documentId: t.field({ type: 'UUID', description: 'The id of the document.', resolve: ({ document }) => document }),
    versionId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The version that it made; null for a deletion.',
      resolve: ({ version }) => version,
    }),
    document: t.field({
      type: DocumentRef,
      nullable: true,
      description: 'The document as it is now, which may be newer than the event; null when it is gone.',
      resolve: ({ kind, document }, _args, { load }) => (kind === 'deleted' ? null : load.document(document)),
    }),
  }),
});

builder.subscriptionFields((t) => ({
  documentChanged: t.field({
    type: DocumentEventRef,
    description:
      'Documents that are created, changed and deleted, of all that the caller may see, each once and in order. A client that was away goes on after the last event that it has: by `after`, or by the header Last-Event-ID.',
    args: {
      workspace: t.arg({ type: 'UUID', description: 'Only those of this workspace.' }),
      types: t.arg.stringList({ description: 'Only those of these document types.' }),
      after: t.arg.id({ description: 'The id of the last event that the client has. Events are kept for 7 days.' }),
    },
    subscribe: (_root, { workspace, types, after }, { domain, lastEventId }) =>
      domain.events.follow({ workspace, types, after: lastEventId ?? after }),
    resolve: (event) => event,
  }),
}));
