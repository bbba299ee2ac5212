import { RESULT_TYPES } from '../../src/model/document-types.ts';
import { REFERENCE_MEMBERS } from '../../src/model/entity/event-facts.ts';
import { DOCUMENT_EVENT_TYPES, type DocumentEventType, PING } from '../../src/model/webhooks/webhook-events.ts';
import type { JsonSchema } from '../declare/json-schema.ts';
import type { Answers, Parameter, RequestBody } from '../declare/openapi-parts.ts';

/** A message that the service sends, as OpenAPI describes a webhook. */
export interface OpenApiWebhook {
  readonly post: {
    readonly operationId: string;
    readonly summary: string;
    readonly description: string;
    readonly security: readonly [];
    readonly parameters: readonly Parameter[];
    readonly requestBody: RequestBody;
    readonly responses: Answers;
  };
}

const [EVENT, WORKSPACE, DOCUMENT, PARENT, VERSION, PRINCIPAL, WEBHOOK] = [
  '4711',
  '0190a000-0000-7000-8000-0000000b0001',
  '01a20162-bfc8-7359-ac06-1089c2bbd437',
  '01a20162-a0b1-7c22-9d51-5e0f3a9b6c10',
  '01a20162-bfc9-7a61-8d0e-3f2b1c4d5e6f',
  '0190a000-0000-7000-8000-00000000c001',
  '01a20162-0c1d-7d44-b2a3-9f8e7d6c5b4a',
];
const AT = '2026-05-01T08:00:00.000Z';

const TEXTS: Readonly<Record<string, string>> = {
  'job.completed': 'A job became complete.',
  'quality_result.off_spec': 'A quality result became off specification.',
  'finding.appeared': 'The figure audit of a job found something; sent only to webhooks that name this type.',
  'finding.settled':
    'What the figure audit of a job had found no longer holds; sent only to webhooks that name this type.',
};

const VERIFY =
  'Signed as Standard Webhooks has it: the receiver verifies the signature before it believes the message, and takes each webhook-id once.';

interface Data {
  readonly schema: JsonSchema;
  readonly example: Readonly<Record<string, unknown>>;
}

function message(type: string, summary: string, { schema, example }: Data): OpenApiWebhook {
  const body = object({
    type: { const: type },
    timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
    data: schema,
  });
  const value = { type, timestamp: AT, data: example };
  const content = { 'application/json': { schema: body, examples: { message: { value } } } };
  return {
    post: {
      operationId: `webhook.${type}`,
      summary,
      description: `${summary} ${VERIFY}`,
      security: [],
      parameters: HEADERS,
      requestBody: { required: true, content },
      responses: ANSWERS,
    },
  };
}

/** Any value but an object or a list; as alternatives, because code generators do not support multiple types. */
const SCALAR: JsonSchema = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] };

/** `data`: the change as in the feed, and the members that identify a document. */
function changeOf({ document, kinds, entity }: DocumentEventType): Data {
  const named = kinds.map((kind) => kind.toUpperCase());
  const id = { type: 'string', format: 'uuid' };
  const members = (entity.schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  const isFinding = document === 'finding';
  const references = isFinding
    ? ['rule', 'document']
    : REFERENCE_MEMBERS.filter((name) => Object.hasOwn(members, name));
  const hasParent = Object.hasOwn(members, 'parent') || document === 'attachment' || isFinding;
  const properties = {
    id: { type: 'string', description: 'The id of the event, as in the change feed.' },
    kind: { enum: named },
    type: { const: document },
    workspace: { type: ['string', 'null'], format: 'uuid', description: 'The workspace; null for a job without one.' },
    document_id: id,
    version_id: {
      type: ['string', 'null'],
      format: 'uuid',
      description: 'The version that the change made; of a deletion, the last one.',
    },
    at: { type: 'string', format: 'date-time' },
    by: { type: ['string', 'null'], format: 'uuid', description: 'The principal.' },
  };
  const optional = {
    ...(hasParent && { parent_id: { ...id, description: 'The document that it belongs to.' } }),
    references: {
      type: 'object',
      properties: Object.fromEntries(references.map((name) => [name, SCALAR])),
      additionalProperties: SCALAR,
      description:
        'Members of the body by which it is recognized, as far as it has them; one whose JSON has more than 1,000 bytes is left out.',
    },
  };
  const change = { id: EVENT, kind: named.at(-1), type: document, workspace: WORKSPACE, document_id: DOCUMENT };
  const example = { ...change, version_id: VERSION, at: AT, by: PRINCIPAL, ...(hasParent && { parent_id: PARENT }) };
  return { schema: { ...object(properties), properties: { ...properties, ...optional } }, example };
}

const object = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

const header = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const HEADERS: readonly Parameter[] = [
  header('webhook-id', 'The event and the webhook; the same for every attempt.'),
  header('webhook-timestamp', 'When it was sent, in seconds since 1970.'),
  header(
    'webhook-signature',
    'One signature or several, separated by spaces: v1,… by the secret, or v1a,… by the private key.',
  ),
];

const ANSWERS: Answers = {
  '2XX': { description: 'The message was accepted. The body of the response is ignored.' },
  410: { description: 'No more messages are wanted: the webhook is disabled.' },
  429: { description: 'Too many messages: with Retry-After, all of them wait until then.' },
  default: { description: 'A failure, redirects included: the message is tried again.' },
};

/** The subject of a message, as the start of a sentence: "A job", "An attachment", "Load port information". */
function subjectOf({ document, entity: { noun } }: DocumentEventType): string {
  const result = RESULT_TYPES.find(({ name }) => name === document);
  const phrase = result?.phrases.one ?? `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}`;
}

/** The webhook messages (contract §14), by event type. */
export const openApiWebhooks: Readonly<Record<string, OpenApiWebhook>> = Object.fromEntries([
  ...DOCUMENT_EVENT_TYPES.map((event) => {
    const summary = TEXTS[event.type] ?? `${subjectOf(event)} was ${event.kinds[0]}.`;
    return [event.type, message(event.type, summary, changeOf(event))] as const;
  }),
  [
    PING,
    message(PING, 'Only shows that the receiver can be reached; sent regardless of the event types of a webhook.', {
      schema: object({ webhook_id: { type: 'string', format: 'uuid', description: 'The webhook.' } }),
      example: { webhook_id: WEBHOOK },
    }),
  ],
]);
