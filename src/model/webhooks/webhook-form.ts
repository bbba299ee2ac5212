import { MOST_ITEMS } from '../fields/schema-parts.ts';
import { SIGNATURE_KINDS } from './webhook.ts';
import { EVENT_TYPES } from './webhook-events.ts';

/** The maximum length of a description, in characters. */
export const LONGEST_DESCRIPTION = 1_000;

/** The JSON Schema of a webhook's settings, for OpenAPI; other members are rejected. */
const properties = {
  url: { type: 'string', description: 'Where messages are sent: in production only https, and a public address.' },
  description: { type: ['string', 'null'], maxLength: LONGEST_DESCRIPTION, description: 'Free text.' },
  event_types: {
    type: ['array', 'null'],
    items: { type: 'string', enum: [...EVENT_TYPES] },
    maxItems: MOST_ITEMS,
    description: 'Only events of these types, such as job.completed; if empty or left out, all but those of findings.',
  },
  workspace: { type: ['string', 'null'], format: 'uuid', description: 'Only events of this workspace.' },
  signature: {
    type: 'string',
    enum: [...SIGNATURE_KINDS],
    description: 'v1 signs with a shared secret (HMAC-SHA256), v1a with a private key (Ed25519); v1 if left out.',
  },
  enabled: {
    type: 'boolean',
    description: 'Whether messages are sent; one that is enabled again resumes from its position.',
  },
};

const form = { type: 'object', properties, additionalProperties: false };
const kept = { ...properties.signature, description: 'Cannot be changed: only that of the webhook is accepted.' };

export const WEBHOOK_SCHEMA = { title: 'Webhook', ...form, required: ['url'] };
export const WEBHOOK_PATCH_SCHEMA = {
  title: 'Changes of a webhook',
  ...form,
  properties: { ...properties, signature: kept },
};
