import { DELIVERY_STATUSES } from '../../src/model/webhooks/webhook.ts';
import { type Declaration, type Endpoint, endpoint } from '../declare/endpoint.ts';
import { accepted, array, created, one, pageOf } from '../declare/reply.ts';
import {
  fromBody,
  fromBodyOrMember,
  fromCounting,
  fromIfMatch,
  fromPath,
  fromQuery,
  fromWholeNumber,
} from '../declare/source.ts';
import { v2 } from './family.ts';

const id = fromPath('webhook_id');
const view = {
  id: 'id',
  url: 'url',
  description: 'description',
  event_types: 'eventTypes',
  workspace: 'workspaceId',
  signature: 'signature',
  enabled: 'enabled',
  disabled_reason: 'disabledReason',
  failing_since: 'failingSince',
  paused_until: 'pausedUntil',
  place: 'place',
  created_at: 'createdAt',
  modified_at: 'modifiedAt',
};
const withSecret = { ...view, secret: 'secret' };
const fields = `versionId ${Object.values(view).join(' ')}`;
const delivery = {
  id: 'id',
  message_id: 'messageId',
  type: 'type',
  event_id: 'eventId',
  document_id: 'documentId',
  status: 'status',
  next_attempt_at: 'nextAttemptAt',
  created_at: 'createdAt',
  attempts: 'attempts',
};
const deliveryFields =
  'id messageId type eventId documentId status nextAttemptAt createdAt attempts { time status duration error }';

const row = (declaration: Omit<Declaration, 'scope'>): Endpoint => endpoint(v2, { ...declaration, scope: 'admin' });

/** /v2/webhooks: the addresses of the caller's tenant that are notified of changes (contract §14). */
export const webhooks: readonly Endpoint[] = [
  row({
    id: 'v2.webhooks.list',
    route: 'GET /webhooks',
    summary: 'Lists the webhooks of the tenant.',
    operation: `query V2WebhooksList { webhooks { ${fields} } }`,
    variables: {},
    reply: array(view),
    errors: [],
  }),
  row({
    id: 'v2.webhooks.create',
    route: 'POST /webhooks',
    summary: 'Creates a webhook, which starts with the next event. Its secret is only in this response.',
    operation: `mutation V2WebhooksCreate($body: WebhookBody!) { createWebhook(body: $body) { ${fields} secret } }`,
    variables: { body: fromBodyOrMember('body', []) },
    reply: created(withSecret),
    errors: ['CONFLICT', 'NOT_FOUND'],
    showsSecret: true,
  }),
  row({
    id: 'v2.webhooks.get',
    route: 'GET /webhooks/{webhook_id}',
    summary: 'Returns a webhook.',
    operation: `query V2WebhooksGet($id: UUID!) { webhook(id: $id) { ${fields} } }`,
    variables: { id },
    reply: one(view),
    errors: ['NOT_FOUND'],
  }),
  row({
    id: 'v2.webhooks.update',
    route: 'PATCH /webhooks/{webhook_id}',
    summary: 'Changes a webhook. One that is enabled again resumes from its position.',
    operation: `mutation V2WebhooksUpdate($id: UUID!, $patch: WebhookPatch!, $expectedVersion: [String!], $previousVersion: String) {
      updateWebhook(id: $id, patch: $patch, expectedVersion: $expectedVersion, previousVersion: $previousVersion) { ${fields} }
    }`,
    variables: {
      id,
      patch: fromBodyOrMember('body', ['previous_version_id']),
      expectedVersion: fromIfMatch,
      previousVersion: fromBody('previous_version_id', {
        kind: 'string',
        nullable: true,
        description:
          'The version that the change is based on, as the ETag has it; null for a webhook that was never changed.',
      }),
    },
    reply: one(view),
    errors: ['NOT_FOUND', 'VERSION_CONFLICT', 'PRECONDITION_FAILED'],
  }),
  row({
    id: 'v2.webhooks.delete',
    route: 'DELETE /webhooks/{webhook_id}',
    summary: 'Deletes a webhook with its deliveries, and returns it.',
    operation: `mutation V2WebhooksDelete($id: UUID!, $expectedVersion: [String!]) {
      deleteWebhook(id: $id, expectedVersion: $expectedVersion) { ${fields} }
    }`,
    variables: { id, expectedVersion: fromIfMatch },
    reply: one(view),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  }),
  row({
    id: 'v2.webhooks.ping',
    route: 'POST /webhooks/{webhook_id}/ping',
    summary: 'Sends the message webhook.ping once, whatever the event types of the webhook.',
    operation: `mutation V2WebhooksPing($id: UUID!) { pingWebhook(id: $id) { ${deliveryFields} } }`,
    variables: { id },
    reply: accepted(delivery),
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  row({
    id: 'v2.webhooks.rotate',
    route: 'POST /webhooks/{webhook_id}/rotate',
    summary: 'Creates a new secret, which is only in this response. Messages have both signatures for 24 hours.',
    operation: `mutation V2WebhooksRotate($id: UUID!) { rotateWebhookSecret(id: $id) { ${fields} secret } }`,
    variables: { id },
    reply: one(withSecret),
    errors: ['NOT_FOUND', 'CONFLICT'],
    showsSecret: true,
  }),
  row({
    id: 'v2.webhooks.deliveries',
    route: 'GET /webhooks/{webhook_id}/deliveries',
    summary: 'Lists the deliveries of a webhook with their attempts, newest first; they are kept for 30 days.',
    operation: `query V2WebhooksDeliveries(
      $id: UUID!, $status: String, $first: Int! = 100, $after: ID, $counting: Boolean = false
    ) {
      webhookDeliveryLog(id: $id, status: $status, first: $first, after: $after) {
        nodes { ${deliveryFields} } pageInfo { hasNextPage endCursor } totalCount @include(if: $counting)
      }
    }`,
    variables: {
      id,
      status: fromQuery('status', 'Only those that are pending, delivered or failed.', DELIVERY_STATUSES),
      first: fromWholeNumber('limit', {
        least: 1,
        most: 1_000,
        otherwise: 100,
        description: 'How many deliveries to return.',
      }),
      after: fromQuery('after', 'Only those after the delivery of this id.'),
      counting: fromCounting,
    },
    reply: pageOf(delivery),
    errors: ['NOT_FOUND'],
  }),
  row({
    id: 'v2.webhooks.replay',
    route: 'POST /webhooks/{webhook_id}/replay',
    summary: 'Sends all events after an event, or since a time, again. Each message keeps its webhook-id.',
    operation: `mutation V2WebhooksReplay($id: UUID!, $after: ID, $since: DateTime) {
      replayWebhook(id: $id, after: $after, since: $since) { ${fields} }
    }`,
    variables: {
      id,
      after: fromBody('after', {
        kind: 'id',
        nullable: true,
        description: 'The id of an event; what follows it is sent.',
        only: ['after', 'since'],
      }),
      since: fromBody('since', {
        kind: 'string',
        nullable: true,
        description: 'A time; what happened from then on is sent.',
      }),
    },
    reply: one(view),
    errors: ['NOT_FOUND', 'HISTORY_LOST'],
  }),
  row({
    id: 'v2.webhooks.retry',
    route: 'POST /webhooks/{webhook_id}/deliveries/{delivery_id}/retry',
    summary: 'Retries a delivery immediately.',
    operation: `mutation V2WebhooksRetry($id: UUID!, $delivery: ID!) {
      retryWebhookDelivery(id: $id, delivery: $delivery) { ${deliveryFields} }
    }`,
    variables: { id, delivery: fromPath('delivery_id') },
    reply: accepted(delivery),
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
];
