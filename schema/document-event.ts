import type { FigureRule } from '../src/domain/analysis/figure-audit/audit-rules.ts';
import type { Changes, ChangesRequest } from '../src/domain/events/events.ts';
import type { DocumentEvent } from '../src/model/entity/event.ts';
import { ATTACHMENT_EVENT_TYPE, FINDING_EVENT_TYPE } from '../src/model/entity/event-facts.ts';
import { isTenantPartition } from '../src/model/entity/partition.ts';
import { builder } from './building/builder.ts';
import { checked } from './building/checked.ts';
import { DocumentRef } from './document.ts';
import { FigureRuleRef } from './figure-audit.ts';

const EventKind = builder.enumType('EventKind', {
  description: 'The kind of change to a document.',
  values: {
    CREATED: {
      value: 'created',
      description: 'The document was created, or was placed in a workspace and is new to the caller.',
    },
    CHANGED: { value: 'changed', description: 'The document has a new version.' },
    DELETED: {
      value: 'deleted',
      description: 'The document was deleted, with everything below it (which has its own events).',
    },
  } as const,
});

const DocumentEventRef = builder.objectRef<DocumentEvent>('DocumentEvent').implement({
  description: 'A change to a document or an attachment.',
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
      description: 'The principal that made the change.',
      resolve: ({ by }) => by,
    }),
    workspaceId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The workspace of the document; null for a job without one.',
      resolve: ({ workspace }) => (workspace === null || isTenantPartition(workspace) ? null : workspace),
    }),
    type: t.string({ description: 'The document type, or `attachment`, or `finding`.', resolve: ({ type }) => type }),
    documentId: t.field({
      type: 'UUID',
      description: 'The id of the document or of the attachment.',
      resolve: ({ document }) => document,
    }),
    parentId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The document of an attachment, the job of a result; null for what has none, and for old events.',
      resolve: ({ parent }) => parent,
    }),
    rule: t.field({
      type: FigureRuleRef,
      nullable: true,
      description: 'Of a finding: the rule of the figure audit that is broken, or is no longer broken.',
      resolve: ({ type, references }) =>
        type === FINDING_EVENT_TYPE ? (String(references?.rule) as FigureRule) : null,
    }),
    findingDocumentId: t.field({
      type: 'UUID',
      nullable: true,
      description:
        'Of a finding: the document with the error; `documentId` is the id of the finding, `parentId` the job.',
      resolve: ({ type, references }) => (type === FINDING_EVENT_TYPE ? String(references?.document) : null),
    }),
    versionId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The version that the change created; for a deletion, the last one.',
      resolve: ({ version }) => version,
    }),
    document: t.field({
      type: DocumentRef,
      nullable: true,
      description:
        'The document as it is now, which may be newer than the event; null if it was deleted, and for attachments.',
      resolve: ({ kind, type, document }, _args, { load }) =>
        kind === 'deleted' || type === ATTACHMENT_EVENT_TYPE || type === FINDING_EVENT_TYPE
          ? null
          : load.document(document),
    }),
  }),
});

const ChangesRef = builder.objectRef<Changes>('Changes').implement({
  description: 'A page of the change feed.',
  extensions: { page: true },
  fields: (t) => ({
    changes: t.field({
      type: [DocumentEventRef],
      description: 'The changes, in their order.',
      extensions: { cost: { size: 'page' } },
      resolve: ({ changes }) => [...changes],
    }),
    next: t.id({
      description: 'The id to continue from, as `after`; present even if there are no changes.',
      resolve: ({ next }) => next,
    }),
  }),
});

builder.queryFields((t) => ({
  changes: t.field({
    type: ChangesRef,
    description:
      'The changes to documents and attachments visible to the caller, in order, with the ids of documentChanged. HISTORY_LOST if the events after `after` are no longer kept.',
    args: {
      workspace: t.arg({ type: 'UUID', description: 'Only those of this workspace.' }),
      types: t.arg.stringList({
        description:
          'Only those of these document types; attachments have `attachment`. Findings of the figure audit have `finding`, and come only when it is named.',
      }),
      after: t.arg.id({
        description:
          'The id of the last event received, or `newest` for only what happens from now on; without it, the feed begins with the oldest event kept.',
      }),
      first: t.arg.int({ required: true, defaultValue: 100, description: 'At most this many; 1 to 1000.' }),
      wait: t.arg.int({
        required: true,
        defaultValue: 0,
        description: 'How many seconds to wait for a change if there is none yet; 0 to 60.',
      }),
    },
    extensions: checked((args: Partial<ChangesRequest>, { domain }) => domain.events.checkFeed(args)),
    resolve: (_root, request, { domain, gone }) => domain.events.changes(request, gone),
  }),
}));

builder.subscriptionFields((t) => ({
  documentChanged: t.field({
    type: DocumentEventRef,
    description:
      'Creations, changes and deletions of documents visible to the caller, each exactly once and in order. A client that reconnects resumes after the last event it received, by `after` or the header Last-Event-ID.',
    args: {
      workspace: t.arg({ type: 'UUID', description: 'Only those of this workspace.' }),
      types: t.arg.stringList({
        description:
          'Only those of these document types; `finding` for those of the figure audit, which come only when it is named.',
      }),
      after: t.arg.id({
        description:
          'The id of the last event received. Events are kept for 7 days, unless the operator sets another time.',
      }),
    },
    subscribe: (_root, { workspace, types, after }, { domain, lastEventId }) =>
      domain.events.follow({ workspace, types, after: lastEventId ?? after }),
    resolve: (event) => event,
  }),
}));
