import type { DocumentEvent } from '../src/model/entity/event.ts';
import { isTenantPartition } from '../src/model/entity/partition.ts';
import { builder } from './building/builder.ts';
import { DocumentRef } from './document.ts';

const EventKind = builder.enumType('EventKind', {
  description: 'The kind of change to a document.',
  values: {
    CREATED: { value: 'created', description: 'The document was created.' },
    CHANGED: { value: 'changed', description: 'The document has a new version.' },
    DELETED: {
      value: 'deleted',
      description: 'The document was deleted, with everything below it (which has its own events).',
    },
  } as const,
});

const DocumentEventRef = builder.objectRef<DocumentEvent>('DocumentEvent').implement({
  description: 'A change to a document.',
  fields: (t) => ({
    id: t.id({
      description: 'Ids ascend; pass the last one received as `after` to resume without a gap.',
      resolve: ({ sequence }) => String(sequence),
    }),
    kind: t.field({ type: EventKind, description: 'What happened.', resolve: ({ kind }) => kind }),
    at: t.field({ type: 'DateTime', description: 'When it happened.', resolve: ({ at }) => at }),
    by: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The principal that made the change; null for deletions.',
      resolve: ({ by }) => by,
    }),
    workspaceId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The workspace of the document; null for a job without one.',
      resolve: ({ workspace }) => (workspace === null || isTenantPartition(workspace) ? null : workspace),
    }),
    type: t.string({ description: 'The document type.', resolve: ({ type }) => type }),
    documentId: t.field({ type: 'UUID', description: 'The id of the document.', resolve: ({ document }) => document }),
    versionId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The version that the change created; null for a deletion.',
      resolve: ({ version }) => version,
    }),
    document: t.field({
      type: DocumentRef,
      nullable: true,
      description: 'The document as it is now, which may be newer than the event; null if it was deleted.',
      resolve: ({ kind, document }, _args, { load }) => (kind === 'deleted' ? null : load.document(document)),
    }),
  }),
});

builder.subscriptionFields((t) => ({
  documentChanged: t.field({
    type: DocumentEventRef,
    description:
      'Creations, changes and deletions of documents visible to the caller, each exactly once and in order. A client that reconnects resumes after the last event it received, by `after` or the header Last-Event-ID.',
    args: {
      workspace: t.arg({ type: 'UUID', description: 'Only those of this workspace.' }),
      types: t.arg.stringList({ description: 'Only those of these document types.' }),
      after: t.arg.id({ description: 'The id of the last event received. Events are retained for 7 days.' }),
    },
    subscribe: (_root, { workspace, types, after }, { domain, lastEventId }) =>
      domain.events.follow({ workspace, types, after: lastEventId ?? after }),
    resolve: (event) => event,
  }),
}));
