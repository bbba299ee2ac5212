import type { DeliveriesRequest } from '../src/domain/webhooks/webhook-input.ts';
import type { JsonObject } from '../src/model/json.ts';
import {
  type DeliveryAttempt,
  placeOf,
  type StoredDelivery,
  type StoredWebhook,
} from '../src/model/webhooks/webhook.ts';
import { builder } from './building/builder.ts';
import { checked } from './building/checked.ts';
import { removalArgs } from './building/entity.ts';
import { connection } from './building/page.ts';

type Shown = StoredWebhook & { readonly secret?: string };

const WebhookRef = builder.objectRef<Shown>('Webhook').implement({
  description: 'A URL that is notified of changes with signed messages (Standard Webhooks).',
  fields: (t) => ({
    id: t.field({ type: 'UUID', description: 'The id.', resolve: ({ _id }) => _id }),
    versionId: t.id({
      description:
        'The version, which is the ETag in REST: that of its settings, and after a dot how far its deliveries are, which `expectedVersion` does not compare.',
      resolve: (webhook, _args, context) => context.webhooks().versionOf(webhook),
    }),
    url: t.exposeString('url', { description: 'Where messages are sent.' }),
    description: t.exposeString('description', { nullable: true, description: 'Free text.' }),
    eventTypes: t.field({
      type: ['String'],
      description: 'Only events of these types; if empty, all but those of findings.',
      resolve: ({ event_types }) => [...event_types],
    }),
    workspaceId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'Only events of this workspace; null for all that the tenant may see.',
      resolve: ({ workspace }) => workspace,
    }),
    signature: t.exposeString('signature', { description: 'How messages are signed: v1 or v1a.' }),
    secret: t.string({
      nullable: true,
      description:
        'What messages are verified with: the secret `whsec_…`, or the public key `whpk_…`. Shown once, when it is created.',
      resolve: ({ secret }) => secret,
    }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether messages are sent.' }),
    disabledReason: t.string({
      nullable: true,
      description:
        'Why it is disabled: requested; gone (the receiver responded with 410); failing (five days of nothing but failures). Null if enabled.',
      resolve: ({ enabled, disabled_reason }) => (enabled ? null : disabled_reason),
    }),
    failingSince: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when every attempt at this URL has failed; null if the last one succeeded.',
      resolve: ({ failing_since }) => failing_since,
    }),
    pausedUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'Until when the receiver asked for silence (429 with Retry-After): only pings and retries that someone asks for are sent. Null if it did not.',
      resolve: (webhook, _args, context) => context.webhooks().pausedUntil(webhook),
    }),
    place: t.id({
      description: 'The id of the event up to which everything was delivered, or is waiting for another attempt.',
      resolve: (webhook) => String(placeOf(webhook)),
    }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was created.', resolve: (row) => row.created_at }),
    modifiedAt: t.field({
      type: 'DateTime',
      description: 'When it was changed last.',
      resolve: (row) => row.modified_at,
    }),
  }),
});

const AttemptRef = builder.objectRef<DeliveryAttempt>('WebhookAttempt').implement({
  description: 'One request to a receiver.',
  fields: (t) => ({
    time: t.field({ type: 'DateTime', description: 'When it was sent.', resolve: ({ time }) => time }),
    status: t.exposeInt('status', { nullable: true, description: 'The HTTP status; null without a response.' }),
    duration: t.exposeInt('duration', { description: 'How long it took, in milliseconds.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why it failed; null for a success.' }),
  }),
});

const DeliveryRef = builder.objectRef<StoredDelivery>('WebhookDelivery').implement({
  description: 'A message to a receiver, and the attempts to deliver it; kept for 30 days.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id, for retrying it.' }),
    messageId: t.string({
      description: 'The header webhook-id, the same for every attempt.',
      resolve: ({ _id }) => _id,
    }),
    type: t.exposeString('type', {
      description: 'The type of the event; history.lost reports events that were removed before they were delivered.',
    }),
    eventId: t.id({
      nullable: true,
      description: 'The id of the event; null for a ping.',
      resolve: ({ event }) => (event === null ? null : String(event)),
    }),
    documentId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The document or attachment; null for a ping.',
      resolve: ({ document }) => document,
    }),
    status: t.exposeString('status', {
      description: 'Its state. pending: not tried yet; delivered; failed: the last attempt failed.',
    }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it is tried next; null if it will not be, as while the webhook is disabled.',
      resolve: ({ next_at }) => next_at,
    }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was first tried.', resolve: (row) => row.created_at }),
    attempts: t.field({
      type: [AttemptRef],
      description: 'The attempts, the oldest first.',
      resolve: (row) => [...row.attempts],
    }),
  }),
});

const DeliveryConnection = connection('WebhookDelivery', DeliveryRef);

/** The valid arguments of a change. */
interface WebhookChange {
  readonly patch?: JsonObject;
  readonly previousVersion?: string | null | undefined;
}

const idArg = () =>
  builder.args((t) => ({ id: t.field({ type: 'UUID', required: true, description: 'The webhook.' }) }));

const checkedDeliveries = checked((args: Partial<DeliveriesRequest>, context) =>
  context.webhooks().checkDeliveries(args),
);

const deliveriesArgs = () => ({
  ...idArg(),
  ...builder.args((t) => ({
    status: t.string({ description: 'Only those that are pending, delivered or failed.' }),
    first: t.int({ required: true, defaultValue: 100, description: 'At most this many; 1 to 1000.' }),
    after: t.id({ description: 'Only those after the delivery of this id.' }),
  })),
});

builder.queryFields((t) => ({
  webhook: t.field({
    type: WebhookRef,
    nullable: true,
    description: 'One webhook of the tenant; needs the scope admin, as everything about webhooks does.',
    args: idArg(),
    resolve: (_root, { id }, context) => context.webhooks().get(id),
  }),
  webhooks: t.field({
    type: [WebhookRef],
    description: 'All webhooks of the tenant, the newest first.',
    resolve: (_root, _args, context) => context.webhooks().list(),
  }),
  webhookDeliveries: t.field({
    type: [DeliveryRef],
    description: 'The deliveries of a webhook, the newest first.',
    args: deliveriesArgs(),
    extensions: checkedDeliveries,
    resolve: async (_root, { id, ...request }, context) => [
      ...(await context.webhooks().deliveries(id, request)).nodes,
    ],
  }),
  webhookDeliveryLog: t.field({
    type: DeliveryConnection,
    description: 'The same deliveries as a page, which says whether more follow and how many there are.',
    args: deliveriesArgs(),
    extensions: checkedDeliveries,
    resolve: (_root, { id, ...request }, context) => context.webhooks().deliveries(id, request),
  }),
}));

builder.mutationFields((t) => ({
  createWebhook: t.field({
    type: WebhookRef,
    description: 'Creates a webhook, which starts with the next event. Its secret is only in this response.',
    args: { body: t.arg({ type: 'WebhookBody', required: true, description: 'The webhook.' }) },
    extensions: checked(({ body }: { readonly body?: JsonObject }, context) => {
      if (body) context.webhooks().checkNew(body);
    }),
    resolve: (_root, { body }, context) => context.webhooks().create(body),
  }),
  updateWebhook: t.field({
    type: WebhookRef,
    description:
      'Changes a webhook. One that is enabled again resumes from its position: nothing is lost while events are kept.',
    args: {
      ...idArg(),
      patch: t.arg({ type: 'WebhookPatch', required: true, description: 'The changes.' }),
      ...removalArgs(),
      previousVersion: t.arg.string({
        description: 'The current version, or null if the webhook was never changed, otherwise VERSION_CONFLICT.',
      }),
    },
    extensions: checked(({ patch = {}, previousVersion }: WebhookChange, context) => {
      context.webhooks().checkChange(patch, { previousVersion });
    }),
    resolve: (_root, { id, patch, ...expectation }, context) => context.webhooks().update(id, patch, expectation),
  }),
  deleteWebhook: t.field({
    type: WebhookRef,
    description: 'Deletes a webhook with its deliveries, and returns it.',
    args: { ...idArg(), ...removalArgs() },
    resolve: (_root, { id, ...expectation }, context) => context.webhooks().remove(id, expectation),
  }),
  rotateWebhookSecret: t.field({
    type: WebhookRef,
    description: 'Creates a new secret, which is only in this response. Messages have both signatures for 24 hours.',
    args: idArg(),
    resolve: (_root, { id }, context) => context.webhooks().rotate(id),
  }),
  pingWebhook: t.field({
    type: DeliveryRef,
    description: "Sends the message webhook.ping once, regardless of the webhook's event types.",
    args: idArg(),
    resolve: (_root, { id }, context) => context.webhooks().ping(id),
  }),
  replayWebhook: t.field({
    type: WebhookRef,
    description: 'Sends all events after an event, or since a time, again. Each message keeps its webhook-id.',
    args: {
      ...idArg(),
      after: t.arg.id({ description: 'The id of an event; all later ones are sent.' }),
      since: t.arg({ type: 'DateTime', description: 'A time; all events from then on are sent.' }),
    },
    resolve: (_root, { id, ...place }, context) => context.webhooks().replay(id, place),
  }),
  retryWebhookDelivery: t.field({
    type: DeliveryRef,
    description: 'Retries a delivery immediately.',
    args: { ...idArg(), delivery: t.arg.id({ required: true, description: 'The id of the delivery.' }) },
    resolve: (_root, { id, delivery }, context) => context.webhooks().retry(id, delivery),
  }),
}));
