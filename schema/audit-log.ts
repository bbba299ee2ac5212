import { AUDIT_ACTIONS, type AuditPrincipal, type RecordedEntry } from '../src/model/audit.ts';
import { builder } from './building/builder.ts';
import { connection } from './building/page.ts';

const AuditOutcome = builder.enumType('AuditOutcome', {
  description: 'The outcome of an action in the audit log.',
  values: {
    SUCCESS: { value: 'success', description: 'It succeeded.' },
    FAILURE: { value: 'failure', description: 'It was attempted and failed, such as a sign-in with a wrong password.' },
    DENIED: { value: 'denied', description: 'It was refused.' },
  } as const,
});

const AuditPrincipalRef = builder.objectRef<AuditPrincipal>('AuditPrincipal').implement({
  description: 'Who did it, with the name at that time.',
  fields: (t) => ({
    id: t.expose('id', {
      type: 'UUID',
      nullable: true,
      description: 'The id of the key or user; null for the command line and for the service itself.',
    }),
    name: t.exposeString('name', { description: 'The name of the key or user.' }),
  }),
});

const actions = Object.entries(AUDIT_ACTIONS)
  .map(([name, meaning]) => `- `.concat('`', name, '`: ', meaning))
  .join('\n');

const AuditEntryRef = builder.objectRef<RecordedEntry>('AuditEntry').implement({
  description: 'An entry of the audit log. Entries are never changed.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Its own id; ids ascend with time.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    action: t.exposeString('action', { description: `What happened:\n${actions}` }),
    principal: t.field({
      type: AuditPrincipalRef,
      nullable: true,
      description: 'Who did it; null if unknown.',
      resolve: ({ principal }) => principal,
    }),
    address: t.string({
      nullable: true,
      description: "The client's address; null for the command line.",
      resolve: ({ address }) => address,
    }),
    requestId: t.string({
      nullable: true,
      description: 'The request, as in X-Request-Id and in the log.',
      resolve: ({ requestId }) => requestId,
    }),
    operation: t.string({
      nullable: true,
      description:
        'The id of the REST endpoint, such as legacy.jobs.delete, or the name of the GraphQL operation; without a name, its fields.',
      resolve: ({ operation }) => operation,
    }),
    entity: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The id of the entity that was affected.',
      resolve: ({ entity }) => entity,
    }),
    outcome: t.field({
      type: AuditOutcome,
      description: 'The outcome.',
      resolve: ({ outcome }) => outcome,
    }),
  }),
});

const AuditEntryConnection = connection('AuditEntry', AuditEntryRef);

builder.queryField('auditLog', (t) =>
  t.field({
    type: AuditEntryConnection,
    description:
      "The audit log of the caller's tenant, newest first: deletions, sign-ins and sign-outs, refused access to another's entity, downloads of files, and changes of keys, users and webhooks. Requires the scope `admin`.",
    args: {
      first: t.arg.int({ description: 'The maximum number of items, 1 to 1000, default 25.' }),
      after: t.arg.string({ description: 'Only items after this cursor.' }),
      from: t.arg({ type: 'DateTime', description: 'Only what happened at this time or later.' }),
      to: t.arg({
        type: 'DateTime',
        description: 'Only what happened at this time or earlier; a date alone includes the whole day (UTC).',
      }),
      action: t.arg.string({ description: 'Only this action, such as document.deleted.' }),
      entity: t.arg({ type: 'UUID', description: 'Only what happened to the entity of this id.' }),
    },
    resolve: (_root, request, { domain }) => domain.auditTrail.list(request),
  }),
);
